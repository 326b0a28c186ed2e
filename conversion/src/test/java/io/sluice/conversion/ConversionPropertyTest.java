package io.sluice.conversion;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.sluice.conversion.TestEntries.InBatch;
import io.sluice.conversion.TestEntries.Producer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.common.record.internal.CompressionType;
import org.apache.kafka.common.record.internal.SimpleRecord;
import org.apache.pulsar.common.api.proto.MessageMetadata;
import org.apache.pulsar.common.api.proto.SingleMessageMetadata;
import org.junit.jupiter.api.Test;

/** Random entries of either protocol come back from the other as they were; damaged ones become one message with a mark. */
class ConversionPropertyTest {
    private static final int SEEDS = Integer.getInteger("sluice.conversion.seeds", 500);
    private static final EntryConverter CONVERTER = new EntryConverter(8 << 20, 5 << 20);
    private static final String[] NAMES = {
        "a", "b", "", "trace id", "kafka.headers", "kafka.timestamp", "pulsar.message", "pulsar.metadata", "ä&=*", "%2"
    };
    private static final String[] TEXTS = {"", "1", "x=y&z", "producer=p&sequence=1", "ü€", "*", "-5", "+ %20"};

    @Test
    void kafkaBatchesComeBackAsTheyWere() {
        for (int seed = 0; seed < SEEDS; seed++) {
            ByteBuf entry = kafka(new Random(seed));
            ByteBuf there = CONVERTER.toPulsar(entry, 0);
            assertThat(TestEntries.messages(there))
                    .as("seed %d", seed)
                    .noneMatch(each -> each.properties().containsKey(ReservedNames.UNREADABLE));
            ByteBuf back = CONVERTER.toKafka(there, 0);
            assertThat(TestEntries.records(back)).as("seed %d", seed).isEqualTo(TestEntries.records(entry));
            assertThat(TestEntries.head(back)).as("seed %d", seed).isEqualTo(TestEntries.head(entry));
        }
    }

    @Test
    void pulsarEntriesComeBackAsTheyWere() {
        for (int seed = 0; seed < SEEDS; seed++) {
            ByteBuf entry = pulsar(new Random(seed));
            ByteBuf there = CONVERTER.toKafka(entry, 0);
            assertThat(TestEntries.records(there))
                    .as("seed %d", seed)
                    .noneMatch(each -> !each.header(ReservedNames.RAW).equals("null"));
            ByteBuf back = CONVERTER.toPulsar(there, 0);
            assertThat(TestEntries.messages(back)).as("seed %d", seed).isEqualTo(TestEntries.messages(entry));
        }
    }

    /** And read back once more, nothing is added: a message may go to and fro as often as it likes. */
    @Test
    void nothingPilesUp() {
        for (int seed = 0; seed < SEEDS / 3; seed++) {
            ByteBuf once = CONVERTER.toKafka(pulsar(new Random(seed)), 0);
            ByteBuf twice = CONVERTER.toKafka(CONVERTER.toPulsar(once, 0), 0);
            assertThat(TestEntries.records(twice)).as("seed %d", seed).isEqualTo(TestEntries.records(once));
        }
    }

    /** One byte is another one: whatever that is, the result is an entry with the same offsets that reads. */
    @Test
    void damagedEntriesStillBecomeEntries() {
        for (int seed = 0; seed < SEEDS; seed++) {
            Random random = new Random(seed);
            ByteBuf pulsar = damage(pulsar(random), random);
            ByteBuf kafka = CONVERTER.toKafka(pulsar, 0);
            assertThat(TestEntries.batchOf(kafka).lastOffset())
                    .as("seed %d", seed)
                    .isEqualTo(TestEntries.BASE + pulsar.getInt(23));
            TestEntries.records(kafka);

            ByteBuf other = damage(kafka(random), random);
            TestEntries.messages(CONVERTER.toPulsar(other, 0));
        }
    }

    /** Behind the header, which the store checks. */
    private static ByteBuf damage(ByteBuf entry, Random random) {
        ByteBuf copy = Unpooled.copiedBuffer(entry);
        for (int i = 0; i <= random.nextInt(3); i++) {
            int at = 70 + random.nextInt(Math.max(1, copy.readableBytes() - 70));
            if (at < copy.readableBytes()) {
                copy.setByte(at, random.nextInt(256));
            }
        }
        return copy;
    }

    // ---- random entries

    private static <T> T one(Random random, T[] of) {
        return of[random.nextInt(of.length)];
    }

    private static byte[] bytes(Random random) {
        return switch (random.nextInt(4)) {
            case 0 -> new byte[0];
            case 1 -> Utf8.bytes(one(random, TEXTS));
            case 2 -> {
                byte[] same = new byte[random.nextInt(2000)];
                Arrays.fill(same, (byte) 'z');
                yield same;
            }
            default -> {
                byte[] some = new byte[random.nextInt(40)];
                random.nextBytes(some);
                yield some;
            }
        };
    }

    private static ByteBuf kafka(Random random) {
        List<SimpleRecord> records = new ArrayList<>();
        for (int i = 0; i <= random.nextInt(5); i++) {
            Header[] headers = new Header[random.nextInt(4)];
            for (int j = 0; j < headers.length; j++) {
                headers[j] = new RecordHeader(one(random, NAMES), random.nextInt(5) == 0 ? null : bytes(random));
            }
            records.add(new SimpleRecord(
                    random.nextInt(20) == 0 ? -1 : 1_700_000_000_000L + random.nextInt(100_000) - 50_000,
                    random.nextInt(4) == 0 ? null : bytes(random),
                    random.nextInt(6) == 0 ? null : bytes(random),
                    headers));
        }
        boolean idempotent = random.nextBoolean();
        Producer producer = idempotent
                ? new Producer(
                        random.nextInt(1000),
                        (short) random.nextInt(5),
                        random.nextInt(10) == 0 ? Integer.MAX_VALUE : random.nextInt(1000),
                        random.nextBoolean())
                : Producer.NONE;
        TimestampType type = random.nextInt(5) == 0 ? TimestampType.LOG_APPEND_TIME : TimestampType.CREATE_TIME;
        Compression compression =
                Compression.of(one(random, CompressionType.values())).build();
        return TestEntries.kafka(compression, type, producer, records);
    }

    private static ByteBuf pulsar(Random random) {
        MessageMetadata m = new MessageMetadata()
                .setProducerName(one(random, new String[] {"p", "kafka", "kafka-1", "ü&="}))
                .setSequenceId(random.nextInt(1000))
                .setPublishTime(1_700_000_000_000L + random.nextInt(100_000))
                .setCompression(one(random, org.apache.pulsar.common.api.proto.CompressionType.values()));
        if (random.nextInt(4) == 0) {
            m.setSchemaVersion(bytes(random));
        }
        if (random.nextInt(6) == 0) {
            m.setReplicatedFrom("east");
            m.addReplicateTo("west");
        }
        if (random.nextInt(6) == 0) {
            m.setTxnidMostBits(random.nextLong()).setTxnidLeastBits(random.nextLong());
        }
        if (random.nextInt(6) == 0) {
            m.setDeliverAtTime(random.nextLong());
        }
        boolean transactional = random.nextInt(5) == 0;
        if (random.nextInt(3) == 0) {
            return single(m, random, transactional);
        }
        List<InBatch> messages = new ArrayList<>();
        for (int i = 0; i <= random.nextInt(5); i++) {
            messages.add(inBatch(random));
        }
        return TestEntries.batch(m, messages);
    }

    private static ByteBuf single(MessageMetadata m, Random random, boolean transactional) {
        SingleMessageMetadata s = inBatch(random).metadata();
        if (s.hasPartitionKey()) {
            m.setPartitionKey(s.getPartitionKey()).setPartitionKeyB64Encoded(s.isPartitionKeyB64Encoded());
        }
        if (s.hasOrderingKey()) {
            m.setOrderingKey(s.getOrderingKey());
        }
        if (s.hasEventTime()) {
            m.setEventTime(s.getEventTime());
        }
        s.getPropertiesList().forEach(each -> TestEntries.property(m, each.getKey(), each.getValue()));
        boolean none = random.nextInt(6) == 0;
        m.setNullValue(none).setNullPartitionKey(s.isNullPartitionKey());
        return TestEntries.pulsar(m, none ? new byte[0] : bytes(random), 1, transactional);
    }

    private static InBatch inBatch(Random random) {
        SingleMessageMetadata s = new SingleMessageMetadata();
        switch (random.nextInt(5)) {
            case 0 -> s.setPartitionKey(one(random, TEXTS));
            case 1 -> {
                MessageKey key = MessageKey.ofBytes(bytes(random));
                s.setPartitionKey(key.text()).setPartitionKeyB64Encoded(true);
            }
            case 2 -> s.setPartitionKey(one(random, TEXTS)).setPartitionKeyB64Encoded(true);
            case 3 -> s.setNullPartitionKey(true);
            default -> {}
        }
        if (random.nextInt(3) == 0) {
            s.setOrderingKey(bytes(random));
        }
        if (random.nextInt(3) == 0) {
            s.setEventTime(random.nextInt(4) == 0 ? random.nextLong() : 1_700_000_000_000L + random.nextInt(1000));
        }
        if (random.nextInt(3) == 0) {
            s.setSequenceId(random.nextLong());
        }
        for (int i = 0; i < random.nextInt(3); i++) {
            s.addProperty()
                    .setKey(one(random, new String[] {"a", "b", "ä&", "", "kafka.batch"}))
                    .setValue(one(random, TEXTS));
        }
        boolean none = random.nextInt(6) == 0;
        s.setNullValue(none);
        return new InBatch(s, none ? new byte[0] : bytes(random));
    }
}
