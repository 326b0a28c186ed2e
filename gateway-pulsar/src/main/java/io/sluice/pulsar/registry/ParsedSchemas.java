package io.sluice.pulsar.registry;

import io.sluice.pulsar.registry.format.ParsedSchema;
import io.sluice.pulsar.registry.format.SchemaTypes;
import java.util.LinkedHashMap;
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
        String key = stored.getType() + SubjectCatalogue.hash(stored);
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
}
