package io.sluice.store.read;

import static io.sluice.store.cache.StreamingCache.BLOCK_BYTES;
import static io.sluice.store.cache.StreamingCache.BUFFER_BYTES;
import static io.sluice.store.cache.TestBytes.assertHolds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.sluice.store.cache.CacheConfig;
import io.sluice.store.cache.StreamingCache;
import io.sluice.store.cache.TestBytes;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class ReadIndexTest {
    private static final int ENTRY = 64 << 10;
    private static final int CAPACITY = 4 * BUFFER_BYTES;
    /** As much as makes a generation. */
    private static final int GENERATION = CAPACITY / 32;

    private final StreamingCache cache = new StreamingCache(new CacheConfig(CAPACITY));
    private final ReadIndex index = new ReadIndex(cache, new ReadConfig(ENTRY, 0.25));
    private final byte[] bytes = TestBytes.random(new Random(1), 2 << 20);

    @AfterEach
    void everythingComesBack() {
        index.clear();
        assertThat(index.stats().entries()).isZero();
        assertThat(index.stats().evictableBytes()).isZero();
        assertThat(cache.stats().storedBytes()).isZero();
        assertThat(cache.stats().deletedPinnedBytes()).isZero();
        cache.close();
    }

    @Test
    void readsAcrossEntriesInOneBuffer() {
        assertThat(append(1, 0, 1 << 20)).isTrue();
        assertThat(index.stats().entries()).isEqualTo(16);
        ByteBuf all = read(1, 0, 1 << 20);
        assertThat(all.nioBufferCount()).isEqualTo(1);
        assertHolds(all, bytes, 0, 1 << 20);
        assertHolds(read(1, ENTRY - 10, 20), bytes, ENTRY - 10, 20);
        assertThat(index.cached(1, 5, 1 << 21)).isEqualTo(new CachedRange(5, 1 << 20));
    }

    @Test
    void smallAppendsGrowOneEntry() {
        for (int at = 0; at < ENTRY; at += 1024) {
            assertThat(append(1, at, 1024)).isTrue();
        }
        assertThat(index.stats().entries()).isEqualTo(1);
        append(1, ENTRY, 1);
        assertThat(index.stats().entries()).isEqualTo(2);
        assertHolds(read(1, 0, ENTRY + 1), bytes, 0, ENTRY + 1);
    }

    @Test
    void whatIsTieredIsNotHeldByWhatComesAfterIt() {
        append(1, 0, 1024);
        index.tiered(1, 1000);
        append(1, 1024, 1024);
        assertThat(index.stats().evictableBytes()).isZero();
        index.tiered(1, 1024);
        append(1, 2048, 1024);
        assertThat(index.stats().evictableBytes()).isEqualTo(StreamingCache.BLOCK_BYTES);
        assertHolds(read(1, 0, 3072), bytes, 0, 3072);
    }

    @Test
    void missesWhatIsNotThere() {
        assertThat(index.read(1, 0, 10)).isNull();
        append(1, 100, 50);
        assertThat(index.read(1, 99, 10)).isNull();
        assertThat(index.read(1, 150, 10)).isNull();
        assertThat(index.cached(1, 0, 10)).isEqualTo(new CachedRange(100, 110));
        assertThat(index.cached(1, 150, 10)).isNull();
        assertThat(index.stats().misses()).isEqualTo(3);
        assertThatThrownBy(() -> append(1, 149, 1)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> append(1, 150, 0)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void holdsWhatIsNotTieredAndSaysWhenThereIsNoRoom() {
        long end = fill(1);
        assertThat(end).isGreaterThan(CAPACITY - 2 * ENTRY);
        assertThat(index.evict(1)).isZero();
        assertThat(index.roomBytes()).isLessThan(ENTRY);
        index.tiered(1, ENTRY - 1);
        assertThat(index.evict(1)).isZero();
        index.tiered(1, ENTRY);
        assertThat(index.roomBytes()).isGreaterThanOrEqualTo(ENTRY);
        assertThat(append(1, end, ENTRY)).isTrue();
        assertThat(index.read(1, 0, 10)).isNull();
        assertHolds(read(1, end, 10), bytes, from(end), 10);
    }

    @Test
    void aRefusedAppendChangesNothing() {
        append(1, 0, 100);
        index.tiered(1, 100);
        long end = fill(2);
        index.read(1, 0, 1); // missed: filling up evicted it
        assertThat(append(2, end, 2 * ENTRY)).isFalse();
        assertThat(index.cached(2, 0, CAPACITY)).isEqualTo(new CachedRange(0, end));
        index.tiered(2, end);
        assertThat(append(2, end, 2 * ENTRY)).isTrue();
    }

    @Test
    void evictsTheOldestGenerationFirst() {
        for (int segment = 0; segment < 3; segment++) {
            append(segment, 0, GENERATION);
            index.tiered(segment, GENERATION);
        }
        read(0, 0, GENERATION).release();
        index.evict(GENERATION);
        assertThat(cached(0)).isTrue();
        assertThat(cached(1)).isFalse();
        assertThat(cached(2)).isTrue();
        index.evict(GENERATION);
        assertThat(cached(0)).isTrue();
        assertThat(cached(2)).isFalse();
    }

    @Test
    void whatIsTieredLateKeepsItsGeneration() {
        append(1, 0, GENERATION);
        append(2, 0, GENERATION);
        index.tiered(2, GENERATION);
        index.tiered(1, GENERATION);
        index.evict(GENERATION);
        assertThat(cached(1)).isFalse();
        assertThat(cached(2)).isTrue();
    }

    @Test
    void whatIsReadStaysAndWhatIsNotReadGoes() {
        append(1, 0, ENTRY);
        index.tiered(1, ENTRY);
        for (long at = 0; at < 4 * CAPACITY; at += ENTRY) {
            writeTiered(2, at);
            read(1, 0, 1).release();
        }
        assertThat(cached(1)).isTrue();
        for (long at = 4 * CAPACITY; at < 6 * CAPACITY; at += ENTRY) {
            writeTiered(2, at);
        }
        assertThat(cached(1)).isFalse();
    }

    @Test
    void whatFellOffTheGenerationsGoesFirst() {
        writeTiered(1, 0);
        for (long at = 0; at < 80 * GENERATION; at += ENTRY) {
            if (at == 40 * GENERATION) {
                writeTiered(3, 0);
            }
            writeTiered(2, at);
            index.truncate(2, at);
        }
        index.evict(ENTRY);
        assertThat(cached(1)).isFalse();
        assertThat(cached(3)).isTrue();
    }

    @Test
    void catchUpTakesItsShareOfOldDataAndGoesFirst() {
        for (long at = 0; at < 2 * CAPACITY; at += ENTRY) {
            writeTiered(1, at);
        }
        CachedRange before = range(1);
        long added = 0;
        for (long at = 0; at < 2 * CAPACITY; at += ENTRY) {
            added += index.insert(2, at, Unpooled.wrappedBuffer(bytes, 0, ENTRY), true);
        }
        assertThat(added).isEqualTo(2L * CAPACITY);
        assertThat(index.stats().catchUpBytes()).isBetween(CAPACITY / 5L, CAPACITY / 4L);
        CachedRange after = range(1);
        assertThat(after.to()).isEqualTo(before.to());
        assertThat(after.to() - after.from()).isGreaterThan((before.to() - before.from()) * 7 / 10);
        long catchUp = index.stats().catchUpBytes();
        writeTiered(1, before.to());
        assertThat(range(1)).isEqualTo(new CachedRange(after.from(), before.to() + ENTRY));
        assertThat(index.stats().catchUpBytes()).isEqualTo(catchUp - ENTRY);
    }

    @Test
    void catchUpNeverDisplacesWhatWasUsedLately() {
        long end = CAPACITY / 8;
        for (long at = 0; at < end; at += ENTRY) {
            writeTiered(1, at);
        }
        assertThat(append(2, 0, ENTRY)).isTrue();
        long held = ENTRY;
        while (index.roomBytes() - index.stats().evictableBytes() >= ENTRY) {
            assertThat(append(2, held, ENTRY)).isTrue(); // never tiered
            held += ENTRY;
        }
        read(1, 0, (int) end).release();
        ByteBuf behind = Unpooled.wrappedBuffer(bytes, 0, 2 * ENTRY);
        assertThat(index.insert(3, 0, behind, true)).isZero();
        assertThat(range(1)).isEqualTo(new CachedRange(0, end));
        assertThat(append(2, held, ENTRY)).isTrue();
    }

    @Test
    void insertsOnlyWhatIsMissing() {
        index.insert(1, 1000, Unpooled.wrappedBuffer(bytes, 1000, 500), true);
        assertThat(index.insert(1, 0, Unpooled.wrappedBuffer(bytes, 0, 3000), false))
                .isEqualTo(2500);
        assertHolds(read(1, 0, 3000), bytes, 0, 3000);
        assertThat(index.insert(1, 0, Unpooled.wrappedBuffer(bytes, 0, 3000), true))
                .isZero();
        append(1, 3000, 100);
        assertHolds(read(1, 0, 5000), bytes, 0, 3100);
    }

    @Test
    void forgetsWhatIsTruncatedAndDropped() {
        append(1, 0, 3 * ENTRY);
        ByteBuf held = read(1, 0, 100);
        index.truncate(1, 2 * ENTRY - 1);
        assertThat(index.cached(1, 0, 10)).isEqualTo(new CachedRange(ENTRY, ENTRY + 10));
        index.drop(1);
        index.drop(1);
        assertThat(index.read(1, 2 * ENTRY, 1)).isNull();
        assertHolds(held, bytes, 0, 100);
        assertThat(append(1, 0, 10)).isTrue();
    }

    @Test
    void anEvictedTailStartsAnew() {
        append(1, 0, 100);
        index.tiered(1, 100);
        assertThat(index.evict(1)).isEqualTo(BLOCK_BYTES);
        assertThat(append(1, 100, 100)).isTrue();
        assertThat(index.read(1, 50, 10)).isNull();
        assertHolds(read(1, 100, 1000), bytes, 100, 100);
        assertThat(index.evict(1)).isZero();
    }

    @Test
    void whatIsTieredBeforeItIsAppendedMayGoAtOnce() {
        index.tiered(1, 1000);
        append(1, 0, 500);
        assertThat(index.stats().evictableBytes()).isEqualTo(BLOCK_BYTES);
        append(1, 500, 501);
        assertThat(index.stats().evictableBytes()).isEqualTo(BLOCK_BYTES);
    }

    @Test
    void whatTheTierHasIsNotHeldByWhatFollows() {
        append(1, 0, 5000);
        index.tiered(1, 3000);
        assertThat(index.stats().evictableBytes()).isZero();
        append(1, 5000, 100);
        append(1, 5100, 100);
        index.tiered(1, 5000);
        assertThat(index.stats().evictableBytes()).isEqualTo(2 * BLOCK_BYTES);
        assertThat(index.stats().entries()).isEqualTo(2);
        assertHolds(read(1, 4000, 1000), bytes, 4000, 1000);
    }

    /** Appends until refused; returns the end. */
    private long fill(long segment) {
        long end = 0;
        while (append(segment, end, ENTRY)) {
            end += ENTRY;
        }
        return end;
    }

    private void writeTiered(long segment, long position) {
        assertThat(append(segment, position, ENTRY)).isTrue();
        index.tiered(segment, position + ENTRY);
    }

    private boolean append(long segment, long position, int length) {
        return index.append(segment, position, Unpooled.wrappedBuffer(bytes, from(position), length));
    }

    private int from(long position) {
        return (int) (position % (bytes.length / 2));
    }

    private boolean cached(long segment) {
        return index.cached(segment, 0, 1) != null;
    }

    private CachedRange range(long segment) {
        return Objects.requireNonNull(index.cached(segment, 0, Integer.MAX_VALUE));
    }

    private ByteBuf read(long segment, long position, int maxBytes) {
        return Objects.requireNonNull(index.read(segment, position, maxBytes));
    }
}
