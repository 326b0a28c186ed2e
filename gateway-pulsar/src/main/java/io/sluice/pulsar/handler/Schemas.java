package io.sluice.pulsar.handler;

import io.sluice.pulsar.schema.TopicSchemas;
import io.sluice.pulsar.services.SchemaPolicies;
import java.nio.ByteBuffer;
import org.apache.pulsar.common.api.proto.KeyValue;
import org.apache.pulsar.common.api.proto.Schema;
import org.jspecify.annotations.Nullable;

/** Schemas as commands carry them. */
final class Schemas {
    private Schemas() {}

    /** A copy that outlives the command; null where the client asks for no particular schema. */
    static @Nullable Schema wanted(Schema from) {
        return switch (from.getType()) {
            case None, AutoConsume -> null;
            default -> copy(from);
        };
    }

    static Schema copy(Schema from) {
        Schema to = new Schema()
                .setName(from.getName())
                .setType(from.getType())
                .setSchemaData(from.hasSchemaData() ? from.getSchemaData() : new byte[0]);
        for (int i = 0; i < from.getPropertiesCount(); i++) {
            KeyValue p = from.getPropertyAt(i);
            to.addProperty().setKey(p.getKey()).setValue(p.getValue());
        }
        return to;
    }

    /** Answer to a producer without a schema, where one is enforced: {@code newest} is the topic's, and it must have none. */
    static TopicSchemas.Answer ofProducerWithout(TopicSchemas.Answer newest) {
        return newest instanceof TopicSchemas.Answer.Found
                ? new TopicSchemas.Answer.Refused(SchemaPolicies.WITHOUT_SCHEMA)
                : newest;
    }

    /** Versions travel as eight bytes, big-endian. */
    static byte[] versionBytes(long version) {
        return ByteBuffer.allocate(Long.BYTES).putLong(version).array();
    }

    /** -1 for the newest; -2 for bytes that are no version of ours. */
    static long version(byte[] bytes) {
        return switch (bytes.length) {
            case 0 -> -1;
            case Long.BYTES -> Math.max(ByteBuffer.wrap(bytes).getLong(), -1);
            default -> -2;
        };
    }
}
