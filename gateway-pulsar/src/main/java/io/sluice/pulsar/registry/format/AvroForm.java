package io.sluice.pulsar.registry.format;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.sluice.pulsar.schema.TopicSchemas;
import io.sluice.pulsar.schema.error.InvalidSchemaException;
import java.util.List;
import org.apache.avro.AvroRuntimeException;
import org.apache.avro.SchemaCompatibility;
import org.apache.pulsar.common.api.proto.Schema;

/**
 * An Avro schema.
 *
 * @param text in Avro's own form, or as it was given where it refers to others
 */
record AvroForm(org.apache.avro.Schema schema, String text) implements ParsedSchema {
    static final String TYPE = "AVRO";

    static AvroForm parse(String given, List<Referenced> references) throws InvalidSchemaException {
        try {
            org.apache.avro.Schema.Parser parser = new org.apache.avro.Schema.Parser();
            references.forEach(each -> parser.parse(each.text()));
            org.apache.avro.Schema schema = parser.parse(given);
            return new AvroForm(schema, references.isEmpty() ? schema.toString() : given);
        } catch (AvroRuntimeException e) {
            throw new InvalidSchemaException(e.getMessage());
        }
    }

    static AvroForm read(byte[] data) throws InvalidSchemaException {
        try {
            org.apache.avro.Schema schema = TopicSchemas.avro(data);
            return new AvroForm(schema, schema.toString());
        } catch (AvroRuntimeException e) {
            throw new InvalidSchemaException(e.getMessage());
        }
    }

    @Override
    public String type() {
        return TYPE;
    }

    @Override
    public String normalized() {
        return text;
    }

    @Override
    public String key() {
        return text;
    }

    /** In Avro's own form all that it needs is in it. */
    @Override
    public boolean standsAlone() {
        return text.equals(schema.toString());
    }

    @Override
    public Schema stored(String name) {
        return new Schema()
                .setName(name)
                .setType(Schema.Type.Avro)
                .setSchemaData(schema.toString().getBytes(UTF_8));
    }

    @Override
    public boolean same(ParsedSchema other) {
        return other instanceof AvroForm avro && schema.equals(avro.schema);
    }

    @Override
    public List<String> differencesFrom(ParsedSchema writer) {
        return SchemaCompatibility.checkReaderWriterCompatibility(schema, ((AvroForm) writer).schema)
                .getResult()
                .getIncompatibilities()
                .stream()
                .map(found -> found.getType() + " at " + found.getLocation() + ": " + found.getMessage())
                .toList();
    }

    /** {@code resolved}: with what it refers to in it. */
    @Override
    public String in(String form) {
        return form.equals("resolved") ? schema.toString() : text;
    }
}
