package io.sluice.pulsar.registry.format;

import io.sluice.pulsar.schema.ProtobufDescriptors;
import io.sluice.pulsar.schema.error.InvalidSchemaException;
import io.sluice.pulsar.schema.protobuf.ProtobufSchema;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.pulsar.common.api.proto.Schema;

/** A Protobuf file. As a topic's schema it is a native one, whose root is the file's first message. */
record ProtobufForm(ProtobufSchema schema) implements ParsedSchema {
    static final String TYPE = "PROTOBUF";

    static ProtobufForm parse(String given, List<Referenced> references) throws InvalidSchemaException {
        Map<String, String> imports = new HashMap<>();
        references.forEach(each -> imports.putIfAbsent(each.name(), each.text()));
        return new ProtobufForm(ProtobufSchema.parse(given, imports));
    }

    static ProtobufForm read(byte[] data) throws InvalidSchemaException {
        try {
            return new ProtobufForm(ProtobufDescriptors.schema(data));
        } catch (RuntimeException e) {
            // JSON, base 64 and descriptors have each their own way to say that they are none
            throw new InvalidSchemaException(e.getMessage());
        }
    }

    @Override
    public boolean standsAlone() {
        return schema.standsAlone();
    }

    @Override
    public String type() {
        return TYPE;
    }

    @Override
    public String text() {
        return schema.text();
    }

    @Override
    public String normalized() {
        return schema.normalized();
    }

    @Override
    public String key() {
        return TYPE + '\n' + normalized();
    }

    @Override
    public Schema stored(String name) {
        return new Schema()
                .setName(name)
                .setType(Schema.Type.ProtobufNative)
                .setSchemaData(ProtobufDescriptors.data(schema));
    }

    @Override
    public boolean same(ParsedSchema other) {
        return other instanceof ProtobufForm protobuf && schema.same(protobuf.schema);
    }

    @Override
    public List<String> differencesFrom(ParsedSchema writer) {
        return schema.differencesFrom(((ProtobufForm) writer).schema);
    }

    /** {@code serialized}: the file's descriptor in base 64. */
    @Override
    public String in(String form) {
        return form.equals("serialized") ? schema.serialized() : text();
    }
}
