package io.sluice.conversion;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.sluice.broker.entry.EntryHeader;
import io.sluice.conversion.TestEntries.InBatch;
import io.sluice.conversion.TestEntries.Message;
import io.sluice.conversion.TestEntries.Seen;
import io.sluice.conversion.TopicPrefixes.Known;
import io.sluice.conversion.TopicPrefixes.Use;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.apache.kafka.common.record.internal.SimpleRecord;
import org.apache.pulsar.common.api.proto.MessageMetadata;
import org.apache.pulsar.common.api.proto.SingleMessageMetadata;
import org.junit.jupiter.api.Test;

/** Contents in the wire format of Confluent's serializers, of a topic whose schemas the registry has. */
class SchemaPrefixTest {
    private static final int SEEDS = Integer.getInteger("sluice.conversion.seeds", 500);
    private static final EntryConverter CONVERTER = new EntryConverter(8 << 20, 5 << 20);
    private static final int AVRO = 17;
    private static final int LATER = 21;
    private static final int JSON = 30;
    private static final int PROTOBUF = 40;
    private static final int NESTED = 41;
    private static final List<Known> SCHEMAS = List.of(
            new Known(AVRO, 0, List.of()),
            new Known(LATER, 3, List.of()),
            new Known(JSON, -1, List.of()),
            new Known(PROTOBUF, 4, List.of(0)),
            new Known(NESTED, 5, List.of(2, 1)));
    /** Stands for null. */
    private static final byte[] TOMBSTONE = {};

    private static final byte[] FIRST = {0};
    private static final byte[] FIRST_IN_FULL = {2, 0};
    private static final byte[] SECOND_IN_THIRD = {4, 4, 2};

    private static EntryPrefixes prefixes(Use use) {
        return EntryPrefixes.of(new TopicPrefixes(use, SCHEMAS));
    }

    private static EntryPrefixes forPulsar() {
        return prefixes(Use.FOR_PULSAR);
    }

    private static byte[] value(int id, byte[] index, String content) {
        byte[] bytes = Utf8.bytes(content);
        return ByteBuffer.allocate(5 + index.length + bytes.length)
                .put((byte) 0)
                .putInt(id)
                .put(index)
                .put(bytes)
                .array();
    }

    private static byte[] value(int id, String content) {
        return value(id, new byte[0], content);
    }

    private static ByteBuf kafka(byte[]... values) {
        return TestEntries.kafka(
                Compression.NONE,
                Arrays.stream(values)
                        .map(each -> new SimpleRecord(5, Utf8.bytes("k"), each == TOMBSTONE ? null : each))
                        .toArray(SimpleRecord[]::new));
    }

    private static String hex(String text) {
        return TestEntries.hex(Utf8.bytes(text));
    }

    /** Messages of all entries, each with its schema version. */
    private static List<String> contents(ByteBuf entries) {
        List<String> contents = new ArrayList<>();
        for (int at = 0; at < entries.readableBytes(); at += EntryHeader.size(entries, at)) {
            ByteBuf entry = entries.slice(at, EntryHeader.size(entries, at));
            MessageMetadata metadata = TestEntries.metadataOf(entry);
            for (Message each : TestEntries.messages(entry)) {
                String payload = each.payload();
                contents.add(each.offset()
                        + ":"
                        + (payload == null ? "null" : new String(HexFormat.of().parseHex(payload), ISO_8859_1))
                        + (metadata.hasSchemaVersion() ? " v" + TopicPrefixes.version(metadata.getSchemaVersion()) : "")
                        + new TreeMap<>(each.properties()));
            }
        }
        return contents;
    }

    @Test
    void aPulsarClientGetsTheContentAndItsVersion() {
        ByteBuf made = CONVERTER.toPulsar(kafka(value(LATER, "a"), TOMBSTONE, value(LATER, "b")), 0, forPulsar());
        assertThat(contents(made))
                .containsExactly("1000:a v3{kafka.schema=21}", "1001:null v3{}", "1002:b v3{kafka.schema=21}");
        assertThat(EntryHeader.size(made, 0)).as("one batch").isEqualTo(made.readableBytes());
    }

    @Test
    void recordsOfSeveralVersionsAreEntriesOfTheirOwn() {
        ByteBuf batch = kafka(value(AVRO, "a"), value(LATER, "b"), Utf8.bytes("plain"), TOMBSTONE);
        assertThat(contents(CONVERTER.toPulsar(batch, 0, forPulsar())))
                .containsExactly(
                        "1000:a v0{kafka.schema=17}", "1001:b v3{kafka.schema=21}", "1002:plain{}", "1003:null{}");
    }

    @Test
    void aJsonSchemaIsTakenOffWithoutAVersion() {
        assertThat(contents(CONVERTER.toPulsar(kafka(value(JSON, "{}"), Utf8.bytes("x")), 0, forPulsar())))
                .containsExactly("1000:{}{kafka.schema=30}", "1001:x{}");
    }

    @Test
    void ofAProtobufFileOnlyTheRootIsRead() {
        ByteBuf batch = kafka(
                value(PROTOBUF, FIRST, "a"),
                value(PROTOBUF, FIRST_IN_FULL, "b"),
                value(PROTOBUF, new byte[] {2, 2}, "c"),
                value(NESTED, SECOND_IN_THIRD, "d"),
                value(NESTED, FIRST, "e"),
                new byte[] {0, 0, 0, 0, PROTOBUF});
        assertThat(contents(CONVERTER.toPulsar(batch, 0, forPulsar())))
                .containsExactly(
                        "1000:a v4{kafka.schema=40.AA}",
                        "1001:b v4{kafka.schema=40.AgA}",
                        "1002:\0\0\0\0(\2\2c{}",
                        "1003:d v5{kafka.schema=41.BAQC}",
                        "1004:\0\0\0\0)\0e{}",
                        "1005:\0\0\0\0({}");
    }

    @Test
    void whatOnlyBeginsLikeOneStaysAsItIs() {
        ByteBuf batch = kafka(
                value(18, "another id"), new byte[] {0, 0, 0, 0}, new byte[0], value(-1, "x"), Utf8.bytes("plain"));
        assertThat(contents(CONVERTER.toPulsar(batch, 0, forPulsar())))
                .isEqualTo(contents(CONVERTER.toPulsar(batch, 0)));
        ByteBuf framed = kafka(value(AVRO, "a"));
        assertThat(contents(CONVERTER.toPulsar(framed, 0, prefixes(Use.KEEP))))
                .isEqualTo(contents(CONVERTER.toPulsar(framed, 0)));
    }

    @Test
    void onKeySharedItIsTheSame() {
        ByteBuf batch = kafka(value(LATER, "a"), value(LATER, "b"));
        assertThat(contents(CONVERTER.toPulsarEach(batch, 0, forPulsar())))
                .containsExactly("1000:a v3{kafka.schema=21}", "1001:b v3{kafka.schema=21}");
    }

    // ---- for Kafka's clients

    private static MessageMetadata ofVersion(long version) {
        return TestEntries.metadata()
                .setSchemaVersion(ByteBuffer.allocate(8).putLong(version).array());
    }

    private static Seen seen(ByteBuf entry, Use use) {
        return TestEntries.records(CONVERTER.toKafka(entry, 0, null, prefixes(use)))
                .getFirst();
    }

    @Test
    void aKafkaClientGetsThePrefixOfTheSchemaWhereThatIsWanted() {
        ByteBuf entry = TestEntries.single(ofVersion(3), Utf8.bytes("a"));
        Seen seen = seen(entry, Use.FOR_BOTH);
        assertThat(seen.value()).isEqualTo(TestEntries.hex(value(LATER, "a")));
        assertThat(seen.header(ReservedNames.MESSAGE)).contains("&prefix=21&schema=");
        assertThat(seen(entry, Use.FOR_PULSAR).value()).isEqualTo(hex("a"));
        assertThat(seen(entry, Use.KEEP).value()).isEqualTo(hex("a"));
        assertThat(seen(TestEntries.single(ofVersion(4), Utf8.bytes("a")), Use.FOR_BOTH)
                        .value())
                .isEqualTo(TestEntries.hex(value(PROTOBUF, FIRST, "a")));
        assertThat(seen(TestEntries.single(ofVersion(5), Utf8.bytes("a")), Use.FOR_BOTH)
                        .value())
                .isEqualTo(TestEntries.hex(value(NESTED, SECOND_IN_THIRD, "a")));
    }

    @Test
    void withoutAnIdTheContentStaysAsItIs() {
        for (MessageMetadata metadata : List.of(
                ofVersion(2), TestEntries.metadata(), TestEntries.metadata().setSchemaVersion(new byte[] {3}))) {
            assertThat(seen(TestEntries.single(metadata, Utf8.bytes("a")), Use.FOR_BOTH)
                            .value())
                    .isEqualTo(hex("a"));
        }
        MessageMetadata nothing = ofVersion(3).setNullValue(true);
        assertThat(seen(TestEntries.single(nothing, new byte[0]), Use.FOR_BOTH).value())
                .isNull();
    }

    /** A function copies properties, by default, to messages with a content and schema of its own. */
    @Test
    void aPropertyOfAnotherContentIsNotBelieved() {
        MessageMetadata other = ofVersion(3);
        TestEntries.property(other, ReservedNames.SCHEMA, Integer.toString(AVRO));
        assertThat(seen(TestEntries.single(other, Utf8.bytes("a")), Use.FOR_PULSAR)
                        .value())
                .isEqualTo(hex("a"));
        assertThat(seen(TestEntries.single(other, Utf8.bytes("a")), Use.FOR_BOTH)
                        .value())
                .isEqualTo(TestEntries.hex(value(LATER, "a")));
        MessageMetadata own = ofVersion(0);
        TestEntries.property(own, ReservedNames.SCHEMA, Integer.toString(AVRO));
        assertThat(seen(TestEntries.single(own, Utf8.bytes("a")), Use.FOR_PULSAR)
                        .value())
                .isEqualTo(TestEntries.hex(value(AVRO, "a")));
    }

    /** A Kafka application sends headers on with a value of its own. */
    @Test
    void fieldsOfAnotherValueAreAHeaderLikeAnyOther() {
        ByteBuf kafka =
                CONVERTER.toKafka(TestEntries.single(ofVersion(3), Utf8.bytes("a")), 0, null, prefixes(Use.FOR_BOTH));
        String fields = TestEntries.records(kafka).getFirst().header(ReservedNames.MESSAGE);
        Header[] headers = {new RecordHeader(ReservedNames.MESSAGE, Utf8.bytes(fields))};
        SimpleRecord other = new SimpleRecord(1_700_000_000_000L, null, value(AVRO, "b"), headers);
        assertThat(contents(CONVERTER.toPulsar(TestEntries.kafka(Compression.NONE, other), 0, forPulsar())))
                .containsExactly("1000:b v0{kafka.schema=17, pulsar.message=" + fields + "}");
    }

    // ---- to and fro

    private static final Use[] USES = {Use.KEEP, Use.FOR_PULSAR, Use.FOR_BOTH};

    @Test
    void kafkaBatchesComeBackAsTheyWere() {
        for (int seed = 0; seed < SEEDS; seed++) {
            Random random = new Random(seed);
            ByteBuf entry = kafka(random);
            ByteBuf there = CONVERTER.toPulsar(entry, 0, prefixes(one(random, USES)));
            if (EntryHeader.size(there, 0) < there.readableBytes()) {
                continue; // of several entries each comes back by itself: see below
            }
            ByteBuf back = CONVERTER.toKafka(there, 0, null, prefixes(one(random, USES)));
            assertThat(TestEntries.records(back)).as("seed %d", seed).isEqualTo(TestEntries.records(entry));
            assertThat(TestEntries.head(back)).as("seed %d", seed).isEqualTo(TestEntries.head(entry));
        }
    }

    @Test
    void valuesOfEachRecordComeBackAsTheyWere() {
        for (int seed = 0; seed < SEEDS; seed++) {
            Random random = new Random(seed);
            ByteBuf entry = kafka(random);
            EntryPrefixes same = forPulsar();
            ByteBuf there = CONVERTER.toPulsarEach(entry, 0, same);
            List<String> values = new ArrayList<>();
            for (int at = 0; at < there.readableBytes(); at += EntryHeader.size(there, at)) {
                TestEntries.records(CONVERTER.toKafka(there.slice(at, EntryHeader.size(there, at)), 0, null, same))
                        .forEach(each -> values.add(each.offset() + each.key() + each.value()));
            }
            assertThat(values)
                    .as("seed %d", seed)
                    .isEqualTo(TestEntries.records(entry).stream()
                            .map(each -> each.offset() + each.key() + each.value())
                            .toList());
        }
    }

    @Test
    void pulsarEntriesComeBackAsTheyWere() {
        for (int seed = 0; seed < SEEDS; seed++) {
            Random random = new Random(seed);
            ByteBuf entry = pulsar(random);
            ByteBuf there = CONVERTER.toKafka(entry, 0, null, prefixes(one(random, USES)));
            ByteBuf back = CONVERTER.toPulsar(there, 0, prefixes(one(random, USES)));
            assertThat(TestEntries.messages(back)).as("seed %d", seed).isEqualTo(TestEntries.messages(entry));
            ByteBuf again = CONVERTER.toKafka(back, 0, null, prefixes(one(random, USES)));
            assertThat(TestEntries.records(again)).as("seed %d", seed).isEqualTo(TestEntries.records(there));
        }
    }

    private static <T> T one(Random random, T[] of) {
        return of[random.nextInt(of.length)];
    }

    private static byte[] value(Random random) {
        String content = random.nextInt(4) == 0 ? "" : "c" + random.nextInt(10);
        return switch (random.nextInt(7)) {
            case 0 -> value(AVRO, content);
            case 1 -> value(LATER, content);
            case 2 -> value(JSON, content);
            case 3 -> value(PROTOBUF, random.nextBoolean() ? FIRST : FIRST_IN_FULL, content);
            case 4 -> value(NESTED, SECOND_IN_THIRD, content);
            case 5 -> value(random.nextInt(50), content);
            default -> Utf8.bytes(content);
        };
    }

    private static ByteBuf kafka(Random random) {
        List<SimpleRecord> records = new ArrayList<>();
        boolean sameAll = random.nextBoolean();
        byte[] same = value(random);
        for (int i = 0; i <= random.nextInt(4); i++) {
            byte[] value = random.nextInt(5) == 0 ? null : sameAll ? same : value(random);
            Header[] headers = random.nextInt(3) > 0
                    ? new Header[0]
                    : new Header[] {new RecordHeader(ReservedNames.SCHEMA, Utf8.bytes("17"))};
            records.add(new SimpleRecord(1_700_000_000_000L, null, value, headers));
        }
        return TestEntries.kafka(Compression.NONE, records.toArray(SimpleRecord[]::new));
    }

    private static ByteBuf pulsar(Random random) {
        MessageMetadata metadata = random.nextInt(3) == 0 ? TestEntries.metadata() : ofVersion(random.nextInt(6));
        boolean said = !metadata.hasSchemaVersion() && random.nextBoolean();
        if (random.nextBoolean()) {
            boolean none = random.nextInt(4) == 0;
            if (said && !none) {
                TestEntries.property(metadata, ReservedNames.SCHEMA, "17");
            }
            return TestEntries.single(metadata.setNullValue(none), none ? new byte[0] : value(random));
        }
        List<InBatch> messages = new ArrayList<>();
        for (int i = 0; i <= random.nextInt(4); i++) {
            boolean none = random.nextInt(4) == 0;
            SingleMessageMetadata own = new SingleMessageMetadata().setNullValue(none);
            if (said && !none && random.nextBoolean()) {
                own.addProperty().setKey(ReservedNames.SCHEMA).setValue(random.nextBoolean() ? "17" : "40.AgA");
            }
            messages.add(new InBatch(own, none ? new byte[0] : value(random)));
        }
        return TestEntries.batch(metadata, messages);
    }

    @Test
    void anIdThatIsNotThereIsAskedForOnceWhileThereAreFew() {
        UnknownNumbers unknown = new UnknownNumbers();
        assertThat(unknown.isToBeAsked(1, 0)).isTrue();
        assertThat(unknown.isToBeAsked(1, 0)).isFalse();
        int asked = 0;
        for (int id = 2; id < 1_000; id++) {
            asked += unknown.isToBeAsked(id, id) ? 1 : 0;
        }
        assertThat(asked).isEqualTo(63);
        assertThat(unknown.isToBeAsked(5_000, 2_000_000_000L)).isTrue();
        assertThat(unknown.isToBeAsked(5_001, 2_000_000_000L)).isFalse();
    }
}
