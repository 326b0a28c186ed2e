package io.sluice.store.cache;

import static io.sluice.store.cache.StreamingCache.BLOCK_BYTES;
import static io.sluice.store.cache.StreamingCache.BUFFER_BYTES;
import static io.sluice.store.cache.StreamingCache.NO_ROOM;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Random inserts, appends, reads, deletes, releases and sizes, beside byte arrays on the heap that must hold the same. */
class StreamingCacheModelTest {
    private static final int STEPS = Integer.getInteger("sluice.cache.steps", 10_000);
    private static final int MAX_HELD = 200;
    private static final long MOST_BUFFERS = 6;

    private record Entry(int address, byte[] bytes) {}

    private record Held(ByteBuf data, byte[] bytes, int from, int length) {}

    private final List<Entry> entries = new ArrayList<>();
    private final List<Held> held = new ArrayList<>();

    @ParameterizedTest
    @ValueSource(longs = {11, 12, 13, 14, 15, 16})
    void holdsWhatWasPutIn(long seed) {
        Random random = new Random(seed);
        int typical = 1 << 4 + random.nextInt(13);
        CacheConfig size = new CacheConfig((1L + random.nextInt(4)) * BUFFER_BYTES, MOST_BUFFERS * BUFFER_BYTES);
        try (StreamingCache cache = new StreamingCache(size)) {
            for (int step = 0; step < STEPS; step++) {
                if (random.nextInt(200) == 0) {
                    resize(cache, random);
                }
                switch (random.nextInt(10)) {
                    case 0, 1 -> insert(cache, random, typical);
                    case 2, 3, 4, 5 -> append(cache, random, typical);
                    case 6, 7 -> read(cache, random);
                    case 8 -> release(random);
                    default -> delete(cache, random);
                }
                checkBound(cache);
            }
            while (!held.isEmpty()) {
                release(random);
            }
            while (!entries.isEmpty()) {
                delete(cache, random);
            }
            cache.reclaim();
            CacheStats stats = cache.stats();
            assertThat(stats.storedBytes()).isZero();
            assertThat(stats.deletedPinnedBytes()).isZero();
            assertThat(cache.freeBlocks()).isEqualTo(stats.capacityBytes() / BUFFER_BYTES * 511);
        }
    }

    private static void resize(StreamingCache cache, Random random) {
        long wanted = (1 + random.nextLong(MOST_BUFFERS)) * BUFFER_BYTES;
        assertThat(cache.resize(wanted + random.nextInt(BUFFER_BYTES))).isEqualTo(wanted);
        assertThat(cache.stats().capacityBytes()).isEqualTo(wanted);
    }

    private void insert(StreamingCache cache, Random random, int typical) {
        byte[] bytes = TestBytes.random(random, 1 + random.nextInt(typical));
        ByteBuf data = TestBytes.buffer(random, bytes);
        long free = cache.freeBlocks();
        int address = cache.insert(data);
        data.release();
        assertThat(free < 0 && address != NO_ROOM && cache.freeBlocks() < 0).isFalse();
        if (address == NO_ROOM) {
            delete(cache, random);
        } else {
            entries.add(new Entry(address, bytes));
        }
    }

    private void append(StreamingCache cache, Random random, int typical) {
        if (entries.isEmpty()) {
            return;
        }
        int index = random.nextInt(entries.size());
        Entry entry = entries.get(index);
        int length = 1 + random.nextInt(typical);
        if (entry.bytes.length + length > 256 << 10) {
            return;
        }
        byte[] more = TestBytes.random(random, length);
        ByteBuf data = TestBytes.buffer(random, more);
        int address = cache.append(entry.address, data);
        data.release();
        if (address == NO_ROOM) {
            delete(cache, random);
            return;
        }
        byte[] all = Arrays.copyOf(entry.bytes, entry.bytes.length + length);
        System.arraycopy(more, 0, all, entry.bytes.length, length);
        entries.set(index, new Entry(address, all));
    }

    private void read(StreamingCache cache, Random random) {
        if (entries.isEmpty()) {
            return;
        }
        Entry entry = entries.get(random.nextInt(entries.size()));
        int from = random.nextInt(entry.bytes.length);
        int length = 1 + random.nextInt(entry.bytes.length - from);
        ByteBuf data = cache.get(entry.address, from, length);
        assertThat(data.readableBytes()).isEqualTo(length);
        held.add(new Held(data, entry.bytes, from, length));
        if (held.size() > MAX_HELD) {
            release(random);
        }
    }

    private void release(Random random) {
        if (!held.isEmpty()) {
            Held read = take(held, random);
            TestBytes.assertHolds(read.data, read.bytes, read.from, read.length);
        }
    }

    private void delete(StreamingCache cache, Random random) {
        if (!entries.isEmpty()) {
            cache.delete(take(entries, random).address);
        }
    }

    private static <T> T take(List<T> list, Random random) {
        T last = list.removeLast();
        int index = random.nextInt(list.size() + 1);
        return index == list.size() ? last : list.set(index, last);
    }

    private static void checkBound(StreamingCache cache) {
        CacheStats stats = cache.stats();
        if ((stats.usedBytes() > stats.capacityBytes()) != cache.freeBlocks() < 0
                || stats.usedBytes() > MOST_BUFFERS * BUFFER_BYTES
                || stats.storedBytes() > stats.usedBytes()
                || stats.freeBytes() != Math.max(0, cache.freeBlocks()) * BLOCK_BYTES) {
            throw new AssertionError(stats.toString());
        }
    }
}
