package io.sluice.conversion;

import static io.sluice.conversion.TestEntries.BASE;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.sluice.conversion.TestEntries.InBatch;
import io.sluice.conversion.TestEntries.Message;
import io.sluice.conversion.TestEntries.Producer;
import io.sluice.conversion.TestEntries.Seen;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.common.record.internal.CompressionType;
import org.apache.kafka.common.record.internal.SimpleRecord;
import org.apache.pulsar.common.api.proto.MessageMetadata;
import org.apache.pulsar.common.api.proto.SingleMessageMetadata;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Table of fields in docs/two-protocols.md: each row with the check that proves it. Run with {@code -Dsluice.docs.write=true} after a change. */
class TwoProtocolsPageTest {
    private static final Path PAGE = Path.of("..", "docs", "two-protocols.md");
    private static final String BEGIN = "<!-- fields -->\n";
    private static final String END = "<!-- end of fields -->\n";
    private static final EntryConverter CONVERTER = new EntryConverter(1 << 20, 1 << 18);
    private static final byte @Nullable [] NONE = null;
    private static final long TIME = 1_700_000_000_123L;

    private final List<String> toKafka = new ArrayList<>();
    private final List<String> toPulsar = new ArrayList<>();
    private List<String> rows = toKafka;

    @Test
    void thePageSaysWhatConversionDoes() throws IOException {
        keysForKafka();
        messagesForKafka();
        batchesForKafka();
        wholeEntriesForKafka();
        rows = toPulsar;
        recordsForPulsar();
        headersForPulsar();
        batchesForPulsar();
        String page = Files.readString(PAGE);
        String made =
                page.substring(0, page.indexOf(BEGIN) + BEGIN.length()) + tables() + page.substring(page.indexOf(END));
        if (Boolean.getBoolean("sluice.docs.write")) {
            Files.writeString(PAGE, made);
        }
        assertThat(Files.readString(PAGE)).isEqualTo(made);
    }

    private String tables() {
        return "\n| a Pulsar message | for a Kafka client | |\n|---|---|---|\n" + String.join("", toKafka)
                + "\n| a Kafka record | for a Pulsar client | |\n|---|---|---|\n" + String.join("", toPulsar) + "\n";
    }

    private void row(String field, String how, String there, boolean proof) {
        assertThat(proof).as("%s: %s %s", field, how, there).isTrue();
        rows.add("| %s | %s | %s |\n".formatted(field, there, how));
    }

    private void same(String field, String there, boolean proof) {
        row(field, "same", there, proof);
    }

    private void mapped(String field, String there, boolean proof) {
        row(field, "mapped so", there, proof);
    }

    private void refused(String field, String there, boolean proof) {
        row(field, "refused so", there, proof);
    }

    // ---- Pulsar to Kafka

    private static Seen seen(ByteBuf entry) {
        return TestEntries.records(CONVERTER.toKafka(entry, 0)).getFirst();
    }

    private static Seen seen(MessageMetadata metadata) {
        return seen(TestEntries.single(metadata, Utf8.bytes("v")));
    }

    /** Message as it comes back from Kafka. */
    private static Message again(MessageMetadata metadata) {
        ByteBuf kafka = CONVERTER.toKafka(TestEntries.single(metadata, Utf8.bytes("v")), 0);
        return TestEntries.messages(CONVERTER.toPulsar(kafka, 0)).getFirst();
    }

    private static String hex(String text) {
        return TestEntries.hex(Utf8.bytes(text));
    }

    private static String fields(Seen seen) {
        return String.valueOf(seen.header(ReservedNames.MESSAGE));
    }

    private static MessageMetadata metadata() {
        return TestEntries.metadata().setPublishTime(TIME);
    }

    private void keysForKafka() {
        MessageMetadata text = metadata().setPartitionKey("k");
        mapped(
                "key, text",
                "key: its UTF-8",
                hex("k").equals(seen(text).key()) && "k".equals(again(text).key()));
        MessageMetadata bytes =
                metadata().setPartitionKey("_w==".replace('_', '/')).setPartitionKeyB64Encoded(true);
        mapped(
                "key, bytes (`partition_key_b64_encoded`)",
                "key: the bytes; `keybase64` where they are UTF-8",
                "ff".equals(seen(bytes).key())
                        && again(bytes).base64()
                        && "/w==".equals(again(bytes).key()));
        MessageMetadata both = metadata().setPartitionKey("aGk=").setPartitionKeyB64Encoded(true);
        assertThat(again(both))
                .isEqualTo(TestEntries.messages(TestEntries.single(both, Utf8.bytes("v")))
                        .getFirst());
        MessageMetadata none = metadata().setPartitionKey("%").setPartitionKeyB64Encoded(true);
        mapped(
                "key said to be Base64 that is none",
                "key: the text's UTF-8; field `keyraw`",
                hex("%").equals(seen(none).key())
                        && "%".equals(again(none).key())
                        && again(none).base64());
        same("no key", "null key", seen(metadata()).key() == null);
        MessageMetadata nothing = metadata().setNullPartitionKey(true);
        mapped(
                "null key of a key-value schema",
                "null key; field `nullkey`",
                seen(nothing).key() == null && again(nothing).nullKey());
        MessageMetadata ordering = metadata().setOrderingKey(new byte[] {1, 2});
        mapped(
                "ordering key",
                "field `ordering`",
                fields(seen(ordering)).endsWith("&ordering=AQI")
                        && "0102".equals(again(ordering).ordering()));
    }

    private void messagesForKafka() {
        same("content", "value", hex("v").equals(seen(metadata()).value()));
        MessageMetadata nothing = metadata().setNullValue(true);
        same(
                "null value",
                "null value",
                seen(TestEntries.single(nothing, new byte[0])).value() == null
                        && again(nothing).payload() == null);
        MessageMetadata with = metadata();
        TestEntries.property(with, "b", "ü");
        TestEntries.property(with, "a", "");
        same(
                "properties",
                "headers in order, UTF-8",
                seen(with).headers().subList(0, 2).equals(List.of("b=ü", "a="))
                        && again(with).properties().equals(Map.of("b", "ü", "a", "")));
        mapped(
                "publish time",
                "timestamp, where there is no event time",
                seen(metadata()).timestamp() == TIME);
        MessageMetadata timed = metadata().setEventTime(5);
        mapped(
                "event time",
                "timestamp; the publish time is the field `published`",
                seen(timed).timestamp() == 5
                        && fields(seen(timed)).contains("&published=" + TIME)
                        && again(timed).eventTime() == 5
                        && again(timed).published() == TIME);
        mapped(
                "producer's name, sequence id",
                "fields `producer`, `sequence`",
                fields(seen(metadata())).equals("producer=p-1&sequence=42")
                        && again(metadata()).producer().equals("p-1")
                        && again(metadata()).sequence() == 42);
        MessageMetadata schema = metadata().setSchemaVersion(new byte[] {0, 3}).setSchemaId(new byte[] {9});
        mapped(
                "schema version, schema id",
                "fields `schema`, `schemaid`; the content is as it was, but for the next two rows",
                fields(seen(schema)).endsWith("&schema=AAM&schemaid=CQ")
                        && again(schema).rest().startsWith("000309"));
        SchemaRows.forKafka(this::row);
        MessageMetadata from = metadata().setReplicatedFrom("east");
        from.addReplicateTo("west");
        mapped(
                "replicated from, replicate to",
                "fields `from`, `to`",
                fields(seen(from)).endsWith("&from=east&to=west")
                        && again(from).rest().contains("east[west]"));
        MessageMetadata later = metadata().setDeliverAtTime(TIME + 1000);
        mapped(
                "delayed delivery",
                "read at once; field `deliver`",
                fields(seen(later)).endsWith("&deliver=" + (TIME + 1000))
                        && again(later).rest().contains("" + (TIME + 1000)));
        MessageMetadata marker = metadata().setMarkerType(10);
        mapped(
                "kind of a marker",
                "field `marker`",
                fields(seen(marker)).endsWith("&marker=10")
                        && again(marker).rest().endsWith("10"));
    }

    private static ByteBuf threeInABatch(MessageMetadata metadata) {
        return TestEntries.batch(
                metadata,
                Stream.of("a", "b", "c")
                        .map(each -> new InBatch(new SingleMessageMetadata().setPartitionKey(each), Utf8.bytes(each)))
                        .toList());
    }

    private void batchesForKafka() {
        List<Seen> three = TestEntries.records(CONVERTER.toKafka(threeInABatch(metadata()), 0));
        same(
                "messages of a batch",
                "records of a batch, offset = first + index",
                three.stream().map(Seen::offset).toList().equals(List.of(BASE, BASE + 1, BASE + 2))
                        && three.stream().map(Seen::key).toList().equals(List.of(hex("a"), hex("b"), hex("c"))));
        ByteBuf holes = TestEntries.batch(
                metadata(),
                List.of(
                        new InBatch(new SingleMessageMetadata().setCompactedOut(true), new byte[0]),
                        new InBatch(new SingleMessageMetadata(), Utf8.bytes("b"))));
        same(
                "message that was compacted away",
                "no record at its offset",
                TestEntries.records(CONVERTER.toKafka(holes, 0)).stream()
                        .map(Seen::offset)
                        .toList()
                        .equals(List.of(BASE + 1)));
        same(
                "compression NONE, LZ4, ZSTD, SNAPPY",
                "none, lz4, zstd, snappy",
                compressed(org.apache.pulsar.common.api.proto.CompressionType.LZ4) == CompressionType.LZ4
                        && compressed(org.apache.pulsar.common.api.proto.CompressionType.ZSTD) == CompressionType.ZSTD
                        && compressed(org.apache.pulsar.common.api.proto.CompressionType.SNAPPY)
                                == CompressionType.SNAPPY
                        && compressed(org.apache.pulsar.common.api.proto.CompressionType.NONE) == CompressionType.NONE);
        mapped(
                "compression ZLIB",
                "lz4",
                compressed(org.apache.pulsar.common.api.proto.CompressionType.ZLIB) == CompressionType.LZ4);
        MessageMetadata inTransaction = metadata().setTxnidMostBits(1).setTxnidLeastBits(2);
        ByteBuf transactional = TestEntries.pulsar(inTransaction, Utf8.bytes("v"), 1, true);
        mapped(
                "transaction",
                "transactional batch; its producer id is the transaction's; field `txn`",
                TestEntries.head(CONVERTER.toKafka(transactional, 0)).contains(TestEntries.TRANSACTION + "/0/0 true")
                        && fields(seen(transactional)).endsWith("&txn=1.2"));
    }

    private static CompressionType compressed(org.apache.pulsar.common.api.proto.CompressionType type) {
        ByteBuf kafka = CONVERTER.toKafka(threeInABatch(metadata().setCompression(type)), 0);
        assertThat(TestEntries.records(kafka)).hasSize(3);
        return TestEntries.batchOf(kafka).compressionType();
    }

    private void wholeEntriesForKafka() {
        MessageMetadata part = metadata()
                .setUuid("p-1-42")
                .setChunkId(1)
                .setNumChunksFromMsg(3)
                .setTotalChunkMsgSize(900);
        ByteBuf chunk = TestEntries.single(part, Utf8.bytes("part"));
        mapped(
                "chunk of a message",
                "the whole message at its last chunk's offset, or no record while a chunk is missing; of a message that is over the limit each chunk is a record of its own: header `pulsar.raw` has `uuid`, `chunk`, `chunks`, `total`",
                hex("part").equals(seen(chunk).value())
                        && ChunkRows.wholeAtItsLastChunk()
                        && seen(chunk)
                                .header(ReservedNames.RAW)
                                .startsWith("why=chunk&uuid=p-1-42&chunk=1&chunks=3&total=900")
                        && comesBackWhole(chunk));
        MessageMetadata secret = metadata()
                .setEncryptionAlgo("AES")
                .setEncryptionParam(new byte[12])
                .setNumMessagesInBatch(3);
        secret.addEncryptionKey().setKey("k").setValue(new byte[] {1});
        ByteBuf encrypted = TestEntries.stored(secret, Unpooled.wrappedBuffer(new byte[] {7, 7}), 3, false);
        mapped(
                "encrypted message or batch",
                "one record with the bytes as they are; header `pulsar.raw`, `why=encrypted`",
                "0707".equals(seen(encrypted).value())
                        && seen(encrypted).header(ReservedNames.RAW).startsWith("why=encrypted")
                        && TestEntries.batchOf(CONVERTER.toKafka(encrypted, 0)).lastOffset() == BASE + 2
                        && comesBackWhole(encrypted));
        MessageMetadata bomb = metadata()
                .setCompression(org.apache.pulsar.common.api.proto.CompressionType.ZSTD)
                .setUncompressedSize(1 << 30);
        ByteBuf hostile = TestEntries.stored(bomb, Unpooled.wrappedBuffer(new byte[] {1}), 1, false);
        refused(
                "what does not read, or is larger than the limit",
                "one record with the bytes as they are; header `pulsar.raw`, `why=unreadable`",
                "01".equals(seen(hostile).value())
                        && seen(hostile).header(ReservedNames.RAW).startsWith("why=unreadable&reason="));
    }

    private static boolean comesBackWhole(ByteBuf entry) {
        ByteBuf back = CONVERTER.toPulsar(CONVERTER.toKafka(entry, 0), 0);
        return TestEntries.hex(TestEntries.payloadOf(back)).equals(TestEntries.hex(TestEntries.payloadOf(entry)))
                && ByteBufUtil.equals(bytes(TestEntries.metadataOf(back)), bytes(TestEntries.metadataOf(entry)));
    }

    private static ByteBuf bytes(MessageMetadata metadata) {
        ByteBuf bytes = Unpooled.buffer();
        metadata.writeTo(bytes);
        return bytes;
    }

    // ---- Kafka to Pulsar

    private static ByteBuf kafka(SimpleRecord... records) {
        return TestEntries.kafka(Compression.NONE, records);
    }

    private static SimpleRecord record(byte @Nullable [] key, byte @Nullable [] value, Header... headers) {
        return new SimpleRecord(TIME, key, value, headers);
    }

    private static Message message(ByteBuf entry) {
        return TestEntries.messages(CONVERTER.toPulsar(entry, 0)).getFirst();
    }

    private static boolean comesBack(ByteBuf entry) {
        ByteBuf back = CONVERTER.toKafka(CONVERTER.toPulsar(entry, 0), 0);
        return TestEntries.records(back).equals(TestEntries.records(entry))
                && TestEntries.head(back).equals(TestEntries.head(entry));
    }

    private void recordsForPulsar() {
        byte[] v = Utf8.bytes("v");
        ByteBuf text = kafka(record(Utf8.bytes("kü"), v));
        mapped(
                "key that is UTF-8",
                "key, text",
                "kü".equals(message(text).key()) && !message(text).base64() && comesBack(text));
        ByteBuf binary = kafka(record(new byte[] {-1}, v));
        mapped(
                "other key",
                "key, bytes (`partition_key_b64_encoded`)",
                "/w==".equals(message(binary).key()) && message(binary).base64() && comesBack(binary));
        ByteBuf keyless = kafka(record(null, v));
        same("null key", "no key", message(keyless).key() == null && comesBack(keyless));
        ByteBuf empty = kafka(record(new byte[0], v));
        same("empty key", "empty text", "".equals(message(empty).key()) && comesBack(empty));
        same("value", "content", hex("v").equals(message(text).payload()));
        SchemaRows.forPulsar(this::row);
        ByteBuf tombstone = kafka(record(Utf8.bytes("k"), null));
        same("null value", "null value", message(tombstone).payload() == null && comesBack(tombstone));
        mapped(
                "timestamp, create time",
                "event time; the publish time is the batch's largest timestamp",
                message(text).eventTime() == TIME && message(text).published() == TIME);
        ByteBuf appended = TestEntries.kafka(
                Compression.NONE, TimestampType.LOG_APPEND_TIME, Producer.NONE, List.of(record(null, v)));
        mapped(
                "timestamp, append time",
                "publish time",
                message(appended).eventTime() == -1
                        && message(appended).published() == 1_800_000_000_000L
                        && comesBack(appended));
        ByteBuf timeless = kafka(new SimpleRecord(-1, NONE, v));
        mapped(
                "no timestamp",
                "publish time 0, property `kafka.timestamp`",
                message(timeless).properties().equals(Map.of(ReservedNames.TIMESTAMP, "-1")) && comesBack(timeless));
    }

    private void headersForPulsar() {
        ByteBuf text =
                kafka(record(null, null, new RecordHeader("b", Utf8.bytes("ü")), new RecordHeader("a", new byte[0])));
        same(
                "header of text, its name once",
                "property",
                message(text).properties().equals(Map.of("b", "ü", "a", "")) && comesBack(text));
        ByteBuf others = kafka(record(
                null,
                null,
                new RecordHeader("text", Utf8.bytes("t")),
                new RecordHeader("twice", Utf8.bytes("1")),
                new RecordHeader("binary", new byte[] {-1}),
                new RecordHeader("none", NONE),
                new RecordHeader("twice", Utf8.bytes("2"))));
        mapped(
                "header that is repeated, binary or null",
                "property `kafka.headers`, which lists all",
                message(others)
                                .properties()
                                .equals(Map.of(
                                        "text", "t", ReservedNames.HEADERS, "text&twice=MQ&binary=_w&none=*&twice=Mg"))
                        && comesBack(others));
        ByteBuf pulsars =
                CONVERTER.toKafka(TestEntries.single(metadata().setOrderingKey(new byte[] {1}), Utf8.bytes("v")), 0);
        mapped(
                "headers that conversion added",
                "fields of the message, where all records of the batch have the same; else properties",
                message(pulsars).properties().isEmpty()
                        && "01".equals(message(pulsars).ordering()));
    }

    private void batchesForPulsar() {
        ByteBuf two = kafka(record(null, Utf8.bytes("a")), record(null, Utf8.bytes("b")));
        same(
                "records of a batch",
                "messages of a batch, index = offset - first",
                TestEntries.messages(CONVERTER.toPulsar(two, 0)).stream()
                        .map(Message::offset)
                        .toList()
                        .equals(List.of(BASE, BASE + 1)));
        ByteBuf holed = CONVERTER.toKafka(
                TestEntries.batch(
                        metadata(),
                        List.of(
                                new InBatch(new SingleMessageMetadata().setCompactedOut(true), new byte[0]),
                                new InBatch(new SingleMessageMetadata(), Utf8.bytes("b")))),
                0);
        mapped(
                "record that was compacted away",
                "no message; what is left of its batch are messages of no batch",
                EntryConversions.hasGaps(holed, 0)
                        && TestEntries.messages(CONVERTER.toPulsarEach(holed, 0)).stream()
                                .map(Message::offset)
                                .toList()
                                .equals(List.of(BASE + 1)));
        same(
                "compression none, lz4, zstd, snappy",
                "NONE, LZ4, ZSTD, SNAPPY",
                compressed(CompressionType.ZSTD).equals("ZSTD")
                        && compressed(CompressionType.LZ4).equals("LZ4")
                        && compressed(CompressionType.SNAPPY).equals("SNAPPY")
                        && compressed(CompressionType.NONE).equals("NONE"));
        mapped("compression gzip", "LZ4", compressed(CompressionType.GZIP).equals("LZ4"));
        ByteBuf idempotent = TestEntries.kafka(
                Compression.NONE,
                TimestampType.CREATE_TIME,
                new Producer(12, (short) 1, 80, false),
                List.of(record(null, null)));
        mapped(
                "idempotent producer",
                "producer `kafka-ID`, its sequence as sequence id",
                message(idempotent).producer().equals("kafka-12")
                        && message(idempotent).sequence() == 80
                        && comesBack(idempotent));
        mapped(
                "other producer",
                "producer `kafka`, the offset as sequence id",
                message(two).producer().equals("kafka") && message(two).sequence() == BASE);
        ByteBuf transactional = TestEntries.kafka(
                Compression.NONE,
                TimestampType.CREATE_TIME,
                new Producer(12, (short) 1, 80, true),
                List.of(record(null, null)));
        same(
                "transaction",
                "delivered when it is committed; to be seen in `kafka.batch` only",
                TestEntries.metadataOf(CONVERTER.toPulsar(transactional, 0))
                                .getPropertyAt(0)
                                .getKey()
                                .equals(ReservedNames.BATCH)
                        && comesBack(transactional));
        ByteBuf large = kafka(record(null, new byte[1 << 18]));
        Message told = message(large);
        refused(
                "what does not read, or is larger than the limit",
                "one message: property `kafka.unreadable` says why; content: the whole batch, if Pulsar's largest message is as large",
                told.properties().containsKey(ReservedNames.UNREADABLE) && "".equals(told.payload()));
    }

    private static String compressed(CompressionType type) {
        ByteBuf pulsar =
                CONVERTER.toPulsar(TestEntries.kafka(Compression.of(type).build(), record(null, new byte[500])), 0);
        assertThat(TestEntries.messages(pulsar)).hasSize(1);
        return TestEntries.metadataOf(pulsar).getCompression().name();
    }
}
