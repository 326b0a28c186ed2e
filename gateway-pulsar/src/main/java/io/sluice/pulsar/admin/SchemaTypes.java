package io.sluice.pulsar.admin;

import java.util.HashMap;
import java.util.Map;
import org.apache.pulsar.common.api.proto.Schema;
import org.apache.pulsar.common.protocol.Commands;

/** Names of schema types as the admin interface writes them. */
final class SchemaTypes {
    private static final Map<String, Schema.Type> BY_NAME = new HashMap<>();

    static {
        for (Schema.Type type : Schema.Type.values()) {
            BY_NAME.put(name(type), type);
        }
    }

    private SchemaTypes() {}

    static String name(Schema.Type type) {
        return type == Schema.Type.AutoConsume
                ? "AUTO_CONSUME"
                : Commands.getSchemaType(type).name();
    }

    static Schema.Type parse(String name) throws AdminException {
        Schema.Type type = BY_NAME.get(name);
        if (type == null) {
            throw new AdminException(422, "unknown schema type '" + name + "'");
        }
        return type;
    }
}
