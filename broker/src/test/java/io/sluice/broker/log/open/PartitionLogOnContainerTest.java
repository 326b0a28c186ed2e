package io.sluice.broker.log.open;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.sluice.broker.TestEntries;
import io.sluice.broker.log.Answers;
import io.sluice.broker.log.Isolation;
import io.sluice.broker.log.PartitionAttributes;
import io.sluice.broker.log.PartitionLog;
import io.sluice.broker.log.ProducerLimits;
import io.sluice.broker.log.SegmentKinds;
import io.sluice.broker.subscription.Cursor;
import io.sluice.store.cache.CacheConfig;
import io.sluice.store.cache.StreamingCache;
import io.sluice.store.container.Container;
import io.sluice.store.container.ContainerConfig;
import io.sluice.store.container.ContainerListener;
import io.sluice.store.container.ContainerParts;
import io.sluice.store.container.ContainerStats;
import io.sluice.store.pressure.PressureConfig;
import io.sluice.store.read.ReadConfig;
import io.sluice.store.tier.InMemoryObjects;
import io.sluice.store.tier.InMemoryTier;
import io.sluice.store.wal.bookkeeper.InMemoryWalStore;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A partition on a real container with small ledgers and a small cache, whose owner changes now and then. */
class PartitionLogOnContainerTest {
    private static final long SEGMENT = 5;
    private static final ContainerConfig SMALL = new ContainerConfig(
            new ContainerConfig.Log(256 << 10, 4, 1 << 20, 512 << 10, 4 << 20),
            1 << 20,
            10_000_000,
            1_500_000,
            PressureConfig.DEFAULT,
            ReadConfig.DEFAULT);

    private final OpenPartitions open = new OpenPartitions();
    private final InMemoryWalStore wal = new InMemoryWalStore();
    private final InMemoryObjects objects = new InMemoryObjects();
    private final List<StreamingCache> caches = new ArrayList<>();
    private final Answers answers = new Answers();
    private long now = 1_700_000_000_000_000L;
    private Container container = takeOver();

    private record Written(long base, long next, byte[] bytes) {}

    private Container takeOver() {
        StreamingCache cache = new StreamingCache(new CacheConfig(8 << 20));
        caches.add(cache);
        ContainerParts parts = new ContainerParts(
                wal,
                cache,
                new PartitionRiderFactory(ProducerLimits.DEFAULT, open),
                host -> new InMemoryTier(host, objects, new InMemoryTier.Faults() {}),
                (name, task) -> task.run());
        Container next = new Container(3, SMALL, parts, new ContainerListener() {
            @Override
            public void serving(Container which) {}

            @Override
            public void stopped(Container which, String why) {}
        });
        next.open();
        settle(next);
        return next;
    }

    private void settle(Container which) {
        for (int idle = 0; idle < 3; ) {
            now += 100;
            idle = which.doWork(now) == 0 ? idle + 1 : 0;
        }
    }

    private void end(Container owner) {
        owner.close();
        settle(owner);
        assertThat(owner.finished()).isTrue();
    }

    @AfterEach
    void close() {
        end(container);
        caches.forEach(StreamingCache::close);
    }

    private PartitionLog log() {
        return Objects.requireNonNull(open.find(SEGMENT));
    }

    private void createPartition() {
        ByteBuf attributes = Unpooled.buffer();
        new PartitionAttributes("t", new UUID(1, 2), 0).write(attributes);
        container.segments().create(SEGMENT, SegmentKinds.PARTITION, attributes, answers);
        assertThat(answer()).isEqualTo("durable");
    }

    private String answer() {
        settle(container);
        String next = answers.next();
        return next == null ? "nothing" : next;
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void holdsWhatWasAcknowledged(long seed) {
        Random random = new Random(seed);
        createPartition();
        log().subscriptions().create("s", 0, Map.of(), answers);
        assertThat(answer()).isEqualTo("durable");
        List<Written> model = new ArrayList<>();
        BitSet acked = new BitSet();
        append(random, model);
        for (int i = 0; i < 2_500; i++) {
            int what = random.nextInt(200);
            if (what == 0) {
                Container before = container;
                container = takeOver();
                end(before);
            } else if (what == 1) {
                deleteSome(random);
            } else if (what < 40) {
                readSome(random, model);
            } else if (what < 80) {
                ackOne(random, acked);
            } else {
                append(random, model);
            }
        }
    }

    @Test
    void countsOneMissOfAReadThatMisses() {
        createPartition();
        ByteBuf entry = TestEntries.plain(10, 100_000, 1);
        int entries = 160;
        for (int i = 0; i < entries; i++) {
            log().append(entry.retain(), answers);
            assertThat(answer()).startsWith("appended");
        }
        int size = entry.readableBytes();
        entry.release();
        assertThat(missesOfReading(0, size))
                .as("from a place that the index knows")
                .isEqualTo(1);
        assertThat(missesOfReading(455, size)).as("within an entry").isEqualTo(1);
        assertThat(missesOfReading(10 * entries - 10, size)).as("of the tail").isZero();
    }

    private long missesOfReading(long offset, int maxBytes) {
        long before = stats().cacheMisses();
        log().read(offset, maxBytes, Isolation.UNCOMMITTED, answers);
        assertThat(answer()).isEqualTo("entries " + maxBytes + " next " + (offset / 10 + 1) * 10);
        return stats().cacheMisses() - before;
    }

    private ContainerStats stats() {
        now += 200_000;
        settle(container);
        return Objects.requireNonNull(container.stats());
    }

    private void append(Random random, List<Written> model) {
        int count = 1 + random.nextInt(5);
        int body = random.nextInt(20) == 0 ? random.nextInt(300_000) : random.nextInt(2_000);
        ByteBuf entry = TestEntries.plain(count, body, model.size());
        log().append(entry.retain(), answers);
        long base = model.isEmpty() ? 0 : model.getLast().next();
        assertThat(answer()).isEqualTo("appended " + base + ".." + (base + count - 1));
        model.add(new Written(base, base + count, ByteBufUtil.getBytes(entry)));
        entry.release();
    }

    private void deleteSome(Random random) {
        long start = log().startOffset();
        log().retention().deleteBefore(start + random.nextInt((int) (log().durableEnd() - start)), answers);
        assertThat(answer()).isEqualTo("durable");
    }

    private void readSome(Random random, List<Written> model) {
        long start = log().startOffset();
        long offset = start + random.nextInt((int) (log().durableEnd() - start));
        log().read(offset, random.nextInt(200_000), Isolation.UNCOMMITTED, answers);
        assertThat(answer()).startsWith("entries");
        ByteBuf got = answers.lastRead();
        int i = 0;
        while (model.get(i).next() <= offset) {
            i++;
        }
        for (int at = 0; at < got.writerIndex(); i++) {
            byte[] expected = model.get(i).bytes();
            assertThat(ByteBufUtil.getBytes(got, at, expected.length)).isEqualTo(expected);
            at += expected.length;
        }
        assertThat(answers.nextOffset()).isEqualTo(model.get(i - 1).next());
    }

    private void ackOne(Random random, BitSet acked) {
        Cursor cursor = Objects.requireNonNull(log().subscriptions().find("s"));
        int offset = random.nextInt((int) log().durableEnd());
        cursor.ack(offset, offset, answers);
        acked.set(offset);
        assertThat(answer()).isEqualTo("durable");
        assertThat(cursor.ackedBelow()).isEqualTo(acked.nextClearBit(0));
        assertThat(cursor.ackedAbove()).isEqualTo(acked.cardinality() - cursor.ackedBelow());
        assertThat(cursor.nextUnacked(offset)).isEqualTo(acked.nextClearBit(offset));
    }
}
