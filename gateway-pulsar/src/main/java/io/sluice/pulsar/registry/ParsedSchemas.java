package io.sluice.pulsar.registry;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.netty.buffer.Unpooled;
import io.sluice.pulsar.registry.format.ParsedSchema;
import io.sluice.pulsar.registry.format.SchemaTypes;
import io.sluice.pulsar.schema.TopicSchemas;
import java.util.LinkedHashMap;
import java.util.TreeMap;
import org.apache.pulsar.common.api.proto.Schema;
import org.jspecify.annotations.Nullable;

/** Schemas of topics as they read; those that were asked for last are remembered. Any thread. */
final class ParsedSchemas {
    /** Bytes of schemas that are remembered; each takes some twenty times as much when it is read. */
    private static final long MAX_BYTES = 512 * 1024;

    private record Read(@Nullable ParsedSchema schema, int bytes) {}

    /** By hash, least recently used first. */
    private final LinkedHashMap<String, Read> remembered = new LinkedHashMap<>(16, 0.75f, true);

    private long bytes;

    /** Null if it is none of the registry's types, or is not what its type says. */
    @Nullable
    ParsedSchema read(Schema stored) {
        String key = stored.getType() + hash(stored);
        synchronized (remembered) {
            Read known = remembered.get(key);
            if (known != null) {
                return known.schema();
            }
        }
        Read read = new Read(SchemaTypes.read(stored), stored.getSerializedSize());
        synchronized (remembered) {
            if (read.bytes() <= MAX_BYTES && remembered.putIfAbsent(key, read) == null) {
                bytes += read.bytes();
            }
            while (bytes > MAX_BYTES) {
                bytes -= remembered.pollFirstEntry().getValue().bytes();
            }
        }
        return read.schema();
    }

    /** The same for schemas that a topic has in the same form, with what they refer to. */
    static String hash(Schema schema) {
        byte[] data = schema.getSchemaData();
        if (schema.getType() != Schema.Type.External) {
            return RegistryRecords.hash(data);
        }
        // what it refers to is beside it
        byte[] properties =
                new TreeMap<>(TopicSchemas.properties(schema)).toString().getBytes(UTF_8);
        return RegistryRecords.hash(Unpooled.copiedBuffer(properties, data).array());
    }
}
