package io.sluice.tiering;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.withinPercentage;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.util.ResourceLeakDetector;
import io.sluice.store.cache.CacheConfig;
import io.sluice.store.cache.StreamingCache;
import io.sluice.store.container.Container;
import io.sluice.store.container.ContainerConfig;
import io.sluice.store.container.ContainerListener;
import io.sluice.store.container.ContainerParts;
import io.sluice.store.container.Inside;
import io.sluice.store.segment.Durable;
import io.sluice.store.segment.LoopTask;
import io.sluice.store.segment.NoRider;
import io.sluice.store.segment.ReadReply;
import io.sluice.store.segment.StoreFailure;
import io.sluice.store.state.ContainerState;
import io.sluice.store.wal.bookkeeper.InMemoryWalStore;
import io.sluice.tiering.flush.FlushPolicy;
import io.sluice.tiering.merge.MergePolicy;
import io.sluice.tiering.objectstore.CountingObjectStore;
import io.sluice.tiering.objectstore.SparseObjectStore;
import java.util.ArrayDeque;
import java.util.Objects;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/**
 * What a load costs at the object store, against the figures on paper (ADR 0014): one of the two containers of a server,
 * with half of the load, in time that is simulated. {@code -Dtier.figures.seconds=300 -Dtier.figures.fanIn=16} takes the
 * same for five minutes with the fan-in of the defaults.
 */
final class TierFiguresTest {
    private static final ResourceLeakDetector.Level LEAK_DETECTION = ResourceLeakDetector.getLevel();
    private static final int MIB = 1 << 20;
    private static final double GB = 1e9;
    private static final int TURN_MILLIS = 10;
    private static final int RECORD = 1_000;
    private static final long SECONDS = Long.getLong("tier.figures.seconds", 0);
    /** Objects of 16 MiB per GB. */
    private static final double FULL_OBJECTS = GB / (16 * MIB);

    private final ArrayDeque<Runnable> tasks = new ArrayDeque<>();
    private final CountingObjectStore store = new CountingObjectStore(new SparseObjectStore());
    private final StreamingCache cache = new StreamingCache(new CacheConfig(256L * MIB));
    private long now = 1_700_000_000_000_000L;
    private Container container = open(TieringConfig.DEFAULT);
    private long appended;
    private long written;

    @Test
    void sixteenPartitionsOf20MegabytesASecond() {
        create(8);
        run(8, 200_000, 1, SECONDS > 0 ? SECONDS : 8);
        print("16 partitions of 20 MB/s");
        assertThat(store.puts * GB / tiered()).isCloseTo(FULL_OBJECTS, withinPercentage(15));
        assertThat(store.putBytes * 1.0 / tiered()).isCloseTo(1, withinPercentage(1));
        assertThat(store.reads).isZero();
        assertThat(store.lists).isZero();
    }

    /** With a small fan-in and large reads, so that both rewrites come to pass in a minute. */
    @Test
    void tenThousandPartitionsOf2RecordsASecond() {
        int fanIn = Integer.getInteger("tier.figures.fanIn", 3);
        // the figures are of all merges, whenever they come
        MergePolicy policy = policy(fanIn, 1L << 40);
        container.close();
        finish();
        container = open(with(policy));
        create(5_000);
        run(5_000, RECORD, 50, SECONDS > 0 ? SECONDS : 60);
        print("10,000 partitions of 2 records/s, fan-in " + fanIn);
        double rewritten = (store.putBytes - tiered()) / GB;
        double puts = store.puts * GB / store.putBytes;
        assertThat(puts).as("puts per GB put").isCloseTo(FULL_OBJECTS, withinPercentage(15));
        // one per source and job, and one where the sources go over from one object to the next
        double reads = store.reads / rewritten / FULL_OBJECTS;
        assertThat(reads).as("reads per object rewritten").isCloseTo(fanIn + 1, withinPercentage(15));
        assertThat(rewritten * GB).isLessThanOrEqualTo(policy.rewrites() * 1.02 * tiered());
        assertThat(store.lists).isZero();
        // of each kind fewer than fanIn wait for company, and as many again in merges under way
        assertThat(ranges()).isLessThan(5_000L * 2 * policy.rewrites() * fanIn);
        catchUp(20, 2 * policy.rewrites() * fanIn);
    }

    /** Merges are for readers of old data, of which there is little: what goes within a minute is not merged before. */
    @Test
    void whatIsKeptForAMinuteIsHardlyMerged() {
        container.close();
        finish();
        TieringConfig base = with(policy(4, 256 << 10));
        FlushPolicy soon = new FlushPolicy(8 * MIB, 64 * MIB, 5_000, 16 * MIB, 4);
        container = open(new TieringConfig(
                soon, base.merge(), base.read(), base.collect(), base.writeBackoff(), base.readBackoff()));
        create(50);
        long perSecond = 100_000;
        long keptSeconds = SECONDS > 0 ? SECONDS : 300;
        for (int second = 1; second <= keptSeconds; second++) {
            run(50, 10_000, 10, 1);
            for (long segment = 1; segment <= 50; segment++) {
                container.segments().truncate(segment, Math.max(0, second - 60) * perSecond, Durable.IGNORED);
            }
        }
        print("5 MB/s over 50 partitions, each byte kept for a minute");
        assertThat(ranges()).isLessThan(50 * 20);
        assertThat(store.putBytes * 1.0 / tiered()).isBetween(1.02, 1.2);
    }

    /** Whoever reads from the start needs a bounded number of requests. */
    private void catchUp(int segments, int mostReads) {
        long before = store.reads;
        for (long segment = 1; segment <= segments; segment++) {
            long end =
                    Objects.requireNonNull(container.segments().info(segment)).tieredLength();
            for (long at = 0; at < end; ) {
                long[] got = new long[1];
                container.segments().read(segment, at, MIB, new ReadReply() {
                    @Override
                    public void data(long position, ByteBuf data) {
                        got[0] = data.readableBytes();
                        data.release();
                    }

                    @Override
                    public void failed(StoreFailure why) {
                        throw new AssertionError(why.message());
                    }
                });
                for (int i = 0; i < 100 && got[0] == 0; i++) {
                    turn();
                }
                assertThat(got[0]).isPositive();
                at += got[0];
            }
        }
        double reads = (store.reads - before) / (double) segments;
        System.out.printf("a reader from the start: %.1f requests per partition%n", reads);
        assertThat(reads).isLessThan(mostReads);
    }

    /** Gigabytes in pieces of a few bytes are not for paranoid leak detection; other tests look at the same code with it. */
    @BeforeAll
    static void noLeakDetection() {
        ResourceLeakDetector.setLevel(ResourceLeakDetector.Level.DISABLED);
    }

    @AfterAll
    static void leakDetectionAsBefore() {
        ResourceLeakDetector.setLevel(LEAK_DETECTION);
    }

    @AfterEach
    void stop() {
        container.close();
        finish();
        cache.close();
    }

    private void finish() {
        for (int i = 0; i < 1_000 && !container.finished(); i++) {
            turn();
        }
        assertThat(container.finished()).isTrue();
    }

    private static MergePolicy policy(int fanIn, long leastBytesPerSecond) {
        MergePolicy base = MergePolicy.DEFAULT;
        return new MergePolicy(
                fanIn,
                base.rewrites(),
                base.largeBytes(),
                base.objectBytes(),
                Math.max(base.readBytes(), 2 * base.objectBytes() / fanIn),
                base.reads(),
                base.jobs(),
                base.intervalMillis(),
                base.waitMillis(),
                leastBytesPerSecond,
                base.debtMillis(),
                base.mostPressure());
    }

    private static TieringConfig with(MergePolicy policy) {
        TieringConfig base = TieringConfig.DEFAULT;
        return new TieringConfig(
                base.flush(), policy, base.read(), base.collect(), base.writeBackoff(), base.readBackoff());
    }

    private Container open(TieringConfig config) {
        Container opened = new Container(
                0,
                ContainerConfig.DEFAULT,
                new ContainerParts(
                        new InMemoryWalStore(),
                        cache,
                        (owner, info, attributes, snapshot) -> new NoRider(),
                        new ObjectTierFactory(store, (name, task) -> tasks.add(task), config, 5),
                        (name, task) -> tasks.add(task)),
                new ContainerListener() {
                    @Override
                    public void serving(Container which) {}

                    @Override
                    public void stopped(Container which, String why) {}
                });
        container = opened;
        opened.open();
        for (int i = 0; i < 50; i++) {
            turn();
        }
        return opened;
    }

    private void create(int segments) {
        for (int segment = 1; segment <= segments; segment++) {
            container.segments().create(segment, (byte) 1, Unpooled.EMPTY_BUFFER, Durable.IGNORED);
        }
        turn();
    }

    /** Each turn the next of {@code parts} parts of the segments get {@code bytes} each. */
    private void run(int segments, int bytes, int parts, long seconds) {
        int perTurn = segments / parts;
        int next = 0;
        for (long end = now + seconds * 1_000_000; now < end; ) {
            for (int i = 0; i < perTurn; i++) {
                append(1 + next, bytes);
                next = (next + 1) % segments;
            }
            turn();
        }
    }

    private void append(long segment, int bytes) {
        ByteBuf data = Unpooled.wrappedBuffer(ZEROS, 0, bytes);
        written += bytes;
        container
                .segments()
                .executeAppend(LoopTask.of(
                        () -> {
                            container.segments().append(segment, data, Durable.IGNORED);
                            appended += bytes;
                        },
                        why -> {
                            throw new AssertionError(why.message());
                        }));
    }

    private static final byte[] ZEROS = new byte[MIB];

    private void turn() {
        now += TURN_MILLIS * 1_000;
        container.doWork(now);
        for (int due = tasks.size(); due > 0; due--) {
            tasks.remove().run();
        }
        container.doWork(now);
    }

    /** Bytes of segments that were flushed. */
    private long tiered() {
        ContainerState state = Inside.state(container);
        long bytes = 0;
        for (long segment : state.segments()) {
            bytes += Objects.requireNonNull(state.segment(segment)).tieredLength();
        }
        return bytes;
    }

    private long ranges() {
        ContainerState state = Inside.state(container);
        long ranges = 0;
        for (long segment : state.segments()) {
            ranges += Objects.requireNonNull(state.segment(segment)).manifest().size();
        }
        return ranges;
    }

    private void print(String load) {
        double gb = tiered() / GB;
        System.out.printf(
                "%s: %.2f GB written, %.2f GB appended, %.2f GB tiered; per GB tiered: %.1f puts of %.3f GB, %.1f reads of"
                        + " %.3f GB, %.2f deletes of %.1f objects; %d ranges of %d segments%n",
                load,
                written / GB,
                appended / GB,
                gb,
                store.puts / gb,
                store.putBytes / GB / gb,
                store.reads / gb,
                store.readBytes / GB / gb,
                store.deletes / gb,
                store.deletedObjects / gb,
                ranges(),
                Inside.state(container).segments().length);
    }

    /** Nothing to rebuild. */
}
