package io.sluice.pulsar.schema;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneOffset;
import org.apache.avro.AvroRuntimeException;
import org.apache.avro.generic.GenericDatumReader;
import org.apache.avro.generic.GenericDatumWriter;
import org.apache.avro.io.BinaryEncoder;
import org.apache.avro.io.DecoderFactory;
import org.apache.avro.io.EncoderFactory;
import org.apache.pulsar.common.api.proto.Schema;
import org.apache.pulsar.common.api.proto.Schema.Type;
import org.apache.pulsar.common.util.ObjectMapperFactory;
import org.jspecify.annotations.Nullable;

/**
 * Values that are given as text, as messages of a schema have them: numbers in big-endian order, times as Pulsar's schemas write them, records of
 * Avro from their JSON.
 *
 * @param key of a key-value schema that keeps the key apart; null for others
 * @param value payload of the message
 */
public record TypedPayload(byte @Nullable [] key, byte[] value) {
    private static final String INLINE = "INLINE";

    /** Null, or why values of the schema cannot be given as text. */
    public static @Nullable String whyNot(Schema schema) {
        SchemaPart whole = SchemaPart.of(schema);
        if (whole.type() != Type.KeyValue) {
            return whyNot(whole);
        }
        String key = whyNot(whole.half(true));
        return key == null ? whyNot(whole.half(false)) : key;
    }

    private static @Nullable String whyNot(SchemaPart part) {
        return switch (part.type()) {
            case Protobuf, ProtobufNative, KeyValue, AutoConsume, None ->
                "messages of the type " + part.type() + " are not made of text";
            default -> null;
        };
    }

    /**
     * Encodes a message.
     *
     * @param key as it is given; null for none
     * @throws IllegalArgumentException it is no value of the schema
     */
    public static TypedPayload of(Schema schema, @Nullable String key, String value) {
        SchemaPart whole = SchemaPart.of(schema);
        if (whole.type() != Type.KeyValue) {
            return new TypedPayload(null, encode(whole, value));
        }
        byte[] first = key == null ? new byte[0] : encode(whole.half(true), key);
        byte[] second = encode(whole.half(false), value);
        if (INLINE.equals(whole.properties().get("kv.encoding.type"))) {
            ByteBuffer both = ByteBuffer.allocate(2 * Integer.BYTES + first.length + second.length);
            both.putInt(first.length).put(first).putInt(second.length).put(second);
            return new TypedPayload(null, both.array());
        }
        return new TypedPayload(key == null ? null : first, second);
    }

    private static byte[] encode(SchemaPart part, String text) {
        try {
            return switch (part.type()) {
                case Bool -> new byte[] {(byte) (truth(text) ? 1 : 0)};
                case Int8 -> new byte[] {Byte.parseByte(text)};
                case Int16 ->
                    bytes(Short.BYTES).putShort(Short.parseShort(text)).array();
                case Int32 ->
                    bytes(Integer.BYTES).putInt(Integer.parseInt(text)).array();
                case Int64 -> ofLong(Long.parseLong(text));
                case Float ->
                    bytes(Float.BYTES).putFloat(Float.parseFloat(text)).array();
                case Double ->
                    bytes(Double.BYTES).putDouble(Double.parseDouble(text)).array();
                case Date, Time, Timestamp, Instant, LocalDate, LocalTime, LocalDateTime -> time(part.type(), text);
                case Json -> json(text);
                case Avro -> avro(part.avro(), text);
                default -> text.getBytes(UTF_8);
            };
        } catch (NumberFormatException | DateTimeException | IOException | AvroRuntimeException e) {
            throw new IllegalArgumentException("it is no value of the type " + part.type(), e);
        }
    }

    private static byte[] json(String text) throws IOException {
        var mapper = ObjectMapperFactory.getMapper();
        return mapper.writer().writeValueAsBytes(mapper.reader().readTree(text));
    }

    private static boolean truth(String text) {
        return switch (text) {
            case "true" -> true;
            case "false" -> false;
            default -> throw new NumberFormatException(text);
        };
    }

    private static ByteBuffer bytes(int count) {
        return ByteBuffer.allocate(count);
    }

    private static byte[] ofLong(long value) {
        return bytes(Long.BYTES).putLong(value).array();
    }

    /** ISO 8601; what Pulsar has in milliseconds is UTC. */
    private static byte[] time(Type type, String text) {
        return switch (type) {
            case Date ->
                ofLong(LocalDate.parse(text)
                        .atStartOfDay(ZoneOffset.UTC)
                        .toInstant()
                        .toEpochMilli());
            case Time -> ofLong(LocalTime.parse(text).toNanoOfDay() / 1_000_000);
            case Timestamp -> ofLong(Instant.parse(text).toEpochMilli());
            case LocalDate -> ofLong(LocalDate.parse(text).toEpochDay());
            case LocalTime -> ofLong(LocalTime.parse(text).toNanoOfDay());
            case LocalDateTime -> {
                LocalDateTime at = LocalDateTime.parse(text);
                yield bytes(2 * Long.BYTES)
                        .putLong(at.toLocalDate().toEpochDay())
                        .putLong(at.toLocalTime().toNanoOfDay())
                        .array();
            }
            default -> {
                Instant at = Instant.parse(text);
                yield bytes(Long.BYTES + Integer.BYTES)
                        .putLong(at.getEpochSecond())
                        .putInt(at.getNano())
                        .array();
            }
        };
    }

    private static byte[] avro(org.apache.avro.Schema schema, String text) throws IOException {
        var decoder = DecoderFactory.get().jsonDecoder(schema, text);
        Object record = new GenericDatumReader<>(schema).read(null, decoder);
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        BinaryEncoder encoder = EncoderFactory.get().binaryEncoder(out, null);
        new GenericDatumWriter<>(schema).write(record, encoder);
        encoder.flush();
        return out.toByteArray();
    }
}
