package io.sluice.conversion;

import io.netty.buffer.ByteBuf;
import io.sluice.broker.entry.EntryHeader;
import io.sluice.conversion.TestEntries.Message;
import io.sluice.conversion.TestEntries.Seen;
import io.sluice.conversion.TopicPrefixes.Known;
import io.sluice.conversion.TopicPrefixes.Use;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.record.internal.SimpleRecord;
import org.apache.pulsar.common.api.proto.MessageMetadata;

/** Proofs for rows of {@link TwoProtocolsPageTest} about topics whose schemas the registry has. */
final class SchemaRows {
    private static final EntryConverter CONVERTER = new EntryConverter(1 << 20, 1 << 18);
    private static final String MAPPED = "mapped so";
    private static final int AVRO = 17;
    private static final int LATER = 18;
    private static final int JSON = 19;
    private static final int PROTOBUF = 20;
    private static final List<Known> SCHEMAS = List.of(
            new Known(AVRO, 3, List.of()),
            new Known(LATER, 4, List.of()),
            new Known(JSON, -1, List.of()),
            new Known(PROTOBUF, 5, List.of(0)));

    private SchemaRows() {}

    /** A row of the table: a field, how it is told, what the other protocol's client sees, and whether that was seen. */
    interface Rows {
        void row(String field, String how, String there, boolean proof);
    }

    static void forKafka(Rows rows) {
        rows.row(
                "content with a schema of the topic that has an id, with `sluice.wire.format=both`",
                MAPPED,
                "value: Confluent's wire format, the prefix before the content; field `prefix`",
                aMessageHasThePrefixOfItsSchema());
        rows.row(
                "property `kafka.schema`, where it is true of the content",
                MAPPED,
                "value: that prefix before the content; field `kafkaschema`",
                aPropertyOfTheContentIsThePrefix());
    }

    static void forPulsar(Rows rows) {
        rows.row(
                "value in Confluent's wire format, with an Avro schema of the topic",
                MAPPED,
                "content without the prefix, schema version; property `kafka.schema`",
                avroHasAVersion());
        rows.row(
                "the same with a Protobuf schema, and the message that is the topic's root",
                MAPPED,
                "content without the prefix, schema version; property `kafka.schema`",
                aRootMessageHasAVersion());
        rows.row(
                "the same with another message of the file",
                "same",
                "content with the prefix, no schema version",
                anotherMessageStays());
        rows.row(
                "the same with a JSON Schema",
                MAPPED,
                "content without the prefix, no schema version; property `kafka.schema`",
                jsonHasNoVersion());
        rows.row(
                "records of a batch with several schema versions",
                MAPPED,
                "messages of no batch, each with its version",
                severalVersionsAreSeveralEntries());
    }

    private static EntryPrefixes prefixes(Use use) {
        return EntryPrefixes.of(new TopicPrefixes(use, SCHEMAS));
    }

    // ---- Pulsar to Kafka

    private static MessageMetadata metadata() {
        return TestEntries.metadata()
                .setSchemaVersion(ByteBuffer.allocate(8).putLong(3).array());
    }

    private static boolean aMessageHasThePrefixOfItsSchema() {
        ByteBuf entry = TestEntries.single(metadata(), Utf8.bytes("v"));
        ByteBuf kafka = CONVERTER.toKafka(entry, 0, null, prefixes(Use.FOR_BOTH));
        Seen seen = TestEntries.records(kafka).getFirst();
        return TestEntries.hex(value(AVRO, "v")).equals(seen.value())
                && seen.header(ReservedNames.MESSAGE).contains("&prefix=17&")
                && TestEntries.messages(CONVERTER.toPulsar(kafka, 0)).equals(TestEntries.messages(entry));
    }

    private static boolean aPropertyOfTheContentIsThePrefix() {
        MessageMetadata own = metadata();
        TestEntries.property(own, ReservedNames.SCHEMA, "17");
        ByteBuf entry = TestEntries.single(own, Utf8.bytes("v"));
        ByteBuf kafka = CONVERTER.toKafka(entry, 0, null, prefixes(Use.FOR_PULSAR));
        MessageMetadata other = metadata();
        TestEntries.property(other, ReservedNames.SCHEMA, "18");
        Seen plain = TestEntries.records(CONVERTER.toKafka(
                        TestEntries.single(other, Utf8.bytes("v")), 0, null, prefixes(Use.FOR_PULSAR)))
                .getFirst();
        return TestEntries.hex(value(AVRO, "v"))
                        .equals(TestEntries.records(kafka).getFirst().value())
                && TestEntries.messages(CONVERTER.toPulsar(kafka, 0)).equals(TestEntries.messages(entry))
                && plain.headers().contains("kafka.schema=18")
                && TestEntries.hex(Utf8.bytes("v")).equals(plain.value());
    }

    // ---- Kafka to Pulsar

    private static byte[] value(int id, String content) {
        byte[] bytes = Utf8.bytes(content);
        return ByteBuffer.allocate(5 + bytes.length)
                .put((byte) 0)
                .putInt(id)
                .put(bytes)
                .array();
    }

    private static ByteBuf kafka(byte[]... values) {
        SimpleRecord[] records = new SimpleRecord[values.length];
        for (int i = 0; i < values.length; i++) {
            records[i] = new SimpleRecord(5, null, values[i]);
        }
        return TestEntries.kafka(Compression.NONE, records);
    }

    private static ByteBuf there(byte[]... values) {
        return CONVERTER.toPulsar(kafka(values), 0, prefixes(Use.FOR_PULSAR));
    }

    private static boolean is(ByteBuf entry, String content, String property, String version) {
        Message message = TestEntries.messages(entry).getFirst();
        return TestEntries.hex(Utf8.bytes(content)).equals(message.payload())
                && message.properties().equals(property.isEmpty() ? Map.of() : Map.of(ReservedNames.SCHEMA, property))
                && message.rest().startsWith(version)
                && TestEntries.records(CONVERTER.toKafka(entry, 0)).size() == 1;
    }

    private static boolean comesBack(byte[] value) {
        return TestEntries.records(CONVERTER.toKafka(there(value), 0)).equals(TestEntries.records(kafka(value)));
    }

    private static boolean avroHasAVersion() {
        return is(there(value(AVRO, "v")), "v", "17", "0000000000000003") && comesBack(value(AVRO, "v"));
    }

    private static boolean aRootMessageHasAVersion() {
        return is(there(value(PROTOBUF, "\0v")), "v", "20.AA", "0000000000000005") && comesBack(value(PROTOBUF, "\0v"));
    }

    private static boolean anotherMessageStays() {
        byte[] second = value(PROTOBUF, "\2\2v");
        return TestEntries.hex(second)
                        .equals(TestEntries.messages(there(second)).getFirst().payload())
                && comesBack(second);
    }

    private static boolean jsonHasNoVersion() {
        return is(there(value(JSON, "{}")), "{}", "19", "-") && comesBack(value(JSON, "{}"));
    }

    private static boolean severalVersionsAreSeveralEntries() {
        ByteBuf two = there(value(AVRO, "a"), value(LATER, "b"));
        int size = EntryHeader.size(two, 0);
        return is(two.slice(0, size), "a", "17", "0000000000000003")
                && is(two.slice(size, two.readableBytes() - size), "b", "18", "0000000000000004")
                && EntryHeader.baseOffset(two, size) == TestEntries.BASE + 1;
    }
}
