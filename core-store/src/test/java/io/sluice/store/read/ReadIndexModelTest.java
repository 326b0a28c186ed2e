package io.sluice.store.read;

import static io.sluice.store.cache.StreamingCache.BLOCK_BYTES;
import static io.sluice.store.cache.StreamingCache.BUFFER_BYTES;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.sluice.store.cache.CacheConfig;
import io.sluice.store.cache.CacheStats;
import io.sluice.store.cache.StreamingCache;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Random use beside a model in which each byte's value follows from its segment and position. */
class ReadIndexModelTest {
    private static final int STEPS = Integer.getInteger("sluice.index.steps", 30_000);
    private static final int SEGMENTS = 12;
    private static final int MAX_HELD = 30;
    private static final long MOST_BUFFERS = 3;

    private static final class Segment {
        final int id;
        long start;
        long tiered;
        long end;

        Segment(int id) {
            this.id = id;
        }
    }

    private record Held(int segment, long position, ByteBuf data) {}

    private final Segment[] segments = new Segment[SEGMENTS];
    private final List<Held> held = new ArrayList<>();
    private long refused;

    @ParameterizedTest
    @ValueSource(longs = {31, 32, 33, 34, 35, 36})
    void neverLosesWhatOnlyItHas(long seed) {
        Random random = new Random(seed);
        int maxEntry = BLOCK_BYTES << random.nextInt(7);
        int typical = 1 << 13 + random.nextInt(4);
        for (int id = 0; id < SEGMENTS; id++) {
            segments[id] = new Segment(id);
        }
        CacheConfig size = new CacheConfig((1L + random.nextInt(2)) * BUFFER_BYTES, MOST_BUFFERS * BUFFER_BYTES);
        try (StreamingCache cache = new StreamingCache(size)) {
            ReadIndex index = new ReadIndex(cache, new ReadConfig(maxEntry, random.nextDouble()));
            for (int step = 0; step < STEPS; step++) {
                step(index, random, typical);
                check(index, cache, segments[random.nextInt(SEGMENTS)]);
            }
            assertThat(index.stats().evicted()).isPositive();
            assertThat(refused).isPositive();
            held.forEach(ReadIndexModelTest::checkAndRelease);
            allInTheTierLeavesWhatIsSmallerAgain(index, cache);
            index.clear();
            index.reclaim();
            assertThat(index.stats().entries()).isZero();
            assertThat(index.stats().evictableBytes()).isZero();
            assertThat(index.stats().catchUpBytes()).isZero();
            assertThat(cache.freeBlocks()).isEqualTo(cache.stats().capacityBytes() / BUFFER_BYTES * 511);
        }
    }

    private void allInTheTierLeavesWhatIsSmallerAgain(ReadIndex index, StreamingCache cache) {
        index.resize(BUFFER_BYTES);
        for (Segment segment : segments) {
            index.tiered(segment.id, segment.end);
        }
        index.evict(Math.max(0, -cache.freeBlocks() * BLOCK_BYTES));
        index.reclaim();
        assertThat(cache.freeBlocks()).isNotNegative();
    }

    private void step(ReadIndex index, Random random, int typical) {
        Segment segment = segments[random.nextInt(SEGMENTS)];
        switch (random.nextInt(20)) {
            case 0, 1, 2, 3, 4, 5, 6 -> append(index, segment, 1 + random.nextInt(typical));
            case 7, 8, 9 ->
                read(index, segment, between(random, segment.start, segment.end), 1 + random.nextInt(100_000));
            case 10, 11 -> read(index, segment, Math.max(0, segment.end - 100), 1000);
            case 12 -> tier(index, segment, random);
            case 13, 14 -> insert(index, segment, random, typical);
            case 15 -> rarely(index, segment, random);
            default -> {
                if (!held.isEmpty()) {
                    checkAndRelease(held.remove(random.nextInt(held.size())));
                }
            }
        }
    }

    private void append(ReadIndex index, Segment segment, int length) {
        if (index.append(segment.id, segment.end, content(segment.id, segment.end, length))) {
            segment.end += length;
            return;
        }
        refused++;
        if (held.isEmpty()) {
            index.reclaim();
            assertThat(index.roomBytes()).isLessThan(length + 2 * BLOCK_BYTES);
        }
    }

    private static void tier(ReadIndex index, Segment segment, Random random) {
        segment.tiered = Math.max(segment.tiered, between(random, segment.start, segment.end + 1));
        index.tiered(segment.id, segment.tiered);
    }

    private static void insert(ReadIndex index, Segment segment, Random random, int typical) {
        long from = between(random, segment.start, Math.max(segment.start, segment.tiered));
        int length = (int) Math.min(segment.tiered - from, 1 + random.nextInt(2 * typical));
        if (length > 0) {
            index.insert(segment.id, from, content(segment.id, from, length), random.nextInt(4) > 0);
        }
    }

    private void rarely(ReadIndex index, Segment segment, Random random) {
        switch (random.nextInt(30)) {
            case 0 -> {
                index.drop(segment.id);
                segments[segment.id] = new Segment(segment.id);
            }
            case 1, 2, 3 -> {
                segment.start = between(random, segment.start, segment.end + 1);
                index.truncate(segment.id, segment.start);
            }
            case 4, 5, 6 -> index.evict(random.nextInt(100_000));
            case 7 -> index.resize((1 + random.nextLong(MOST_BUFFERS)) * BUFFER_BYTES);
            default -> index.reclaim();
        }
    }

    private void read(ReadIndex index, Segment segment, long position, int maxBytes) {
        ByteBuf data = index.read(segment.id, position, maxBytes);
        if (data != null) {
            assertThat(data.readableBytes()).isBetween(1, maxBytes);
            held.add(new Held(segment.id, position, data));
            if (held.size() > MAX_HELD) {
                checkAndRelease(held.removeFirst());
            }
        }
    }

    /** What is not in the tier is in the cache, from its first byte to its last. */
    private static void check(ReadIndex index, StreamingCache cache, Segment segment) {
        long from = Math.max(segment.start, segment.tiered);
        if (from < segment.end) {
            CachedRange untiered = index.cached(segment.id, from, Integer.MAX_VALUE);
            assertThat(untiered).isEqualTo(new CachedRange(from, segment.end));
        }
        CacheStats stats = cache.stats();
        ReadStats reads = index.stats();
        assertThat(stats.usedBytes()).isLessThanOrEqualTo(MOST_BUFFERS * BUFFER_BYTES);
        assertThat(stats.usedBytes() > stats.capacityBytes()).isEqualTo(cache.freeBlocks() < 0);
        assertThat(reads.catchUpBytes()).isBetween(0L, reads.evictableBytes());
        assertThat(reads.evictableBytes()).isLessThanOrEqualTo(stats.usedBytes() - stats.deletedPinnedBytes());
    }

    private static long between(Random random, long from, long to) {
        return to <= from ? from : from + random.nextLong(to - from);
    }

    private static ByteBuf content(int segment, long position, int length) {
        byte[] bytes = new byte[length];
        for (int i = 0; i < length; i++) {
            bytes[i] = value(segment, position + i);
        }
        return Unpooled.wrappedBuffer(bytes);
    }

    private static void checkAndRelease(Held read) {
        byte[] bytes = new byte[read.data.readableBytes()];
        read.data.getBytes(read.data.readerIndex(), bytes);
        read.data.release();
        for (int i = 0; i < bytes.length; i++) {
            if (bytes[i] != value(read.segment, read.position + i)) {
                throw new AssertionError("segment " + read.segment + ", position " + (read.position + i));
            }
        }
    }

    private static byte value(int segment, long position) {
        return (byte) ((position * 0x9E3779B97F4A7C15L + segment * 0xC2B2AE3D27D4EB4FL) >>> 40);
    }
}
