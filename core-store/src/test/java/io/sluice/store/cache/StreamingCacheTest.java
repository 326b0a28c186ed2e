package io.sluice.store.cache;

import static io.sluice.store.cache.StreamingCache.BLOCK_BYTES;
import static io.sluice.store.cache.StreamingCache.BUFFER_BYTES;
import static io.sluice.store.cache.StreamingCache.NO_ROOM;
import static io.sluice.store.cache.TestBytes.assertHolds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class StreamingCacheTest {
    private final Random random = new Random(7);
    private final StreamingCache cache = new StreamingCache(new CacheConfig(4L * BUFFER_BYTES));

    @AfterEach
    void close() {
        cache.close();
    }

    @Test
    void fillsTheLastBlockBeforeItTakesAnother() {
        byte[] bytes = bytes(10_000);
        int address = cache.insert(Unpooled.wrappedBuffer(bytes, 0, 100));
        long used = cache.stats().usedBytes();
        assertThat(cache.roomInLastBlock(address)).isEqualTo(BLOCK_BYTES - 100);
        int same = cache.append(address, Unpooled.wrappedBuffer(bytes, 100, BLOCK_BYTES - 100));
        assertThat(same).isEqualTo(address);
        assertThat(cache.stats().usedBytes()).isEqualTo(used);
        int next = cache.append(same, Unpooled.wrappedBuffer(bytes, BLOCK_BYTES, 10_000 - BLOCK_BYTES));
        assertThat(next).isNotEqualTo(address);
        assertThat(cache.stats().usedBytes()).isEqualTo(used + 2 * BLOCK_BYTES);
        assertThat(cache.length(next)).isEqualTo(10_000);
        assertHolds(cache.get(next), bytes, 0, 10_000);
        assertHolds(cache.get(next, 4_000, 5_000), bytes, 4_000, 5_000);
    }

    @Test
    void leavesTheCallersBufferAsItWas() {
        ByteBuf data = Unpooled.buffer().writeBytes(bytes(100)).skipBytes(10);
        int address = cache.insert(data);
        cache.append(address, data);
        assertThat(data.readerIndex()).isEqualTo(10);
        assertThat(data.refCnt()).isEqualTo(1);
        assertThat(cache.length(address)).isEqualTo(180);
    }

    @Test
    void mergesContiguousBlocksIntoOnePiece() {
        int address = cache.insert(Unpooled.wrappedBuffer(bytes(1 << 20)));
        ByteBuf data = cache.get(address);
        assertThat(data.nioBufferCount()).isEqualTo(1);
        assertThat(data.hasMemoryAddress()).isTrue();
        data.release();
    }

    @Test
    void keepsEntriesThatGrowSideBySideInFewPieces() {
        int[] addresses = new int[8];
        byte[] piece = bytes(1000);
        for (int entry = 0; entry < addresses.length; entry++) {
            addresses[entry] = cache.insert(Unpooled.wrappedBuffer(piece));
        }
        for (int round = 0; round < 250; round++) {
            for (int entry = 0; entry < addresses.length; entry++) {
                addresses[entry] = cache.append(addresses[entry], Unpooled.wrappedBuffer(piece));
            }
        }
        for (int address : addresses) {
            ByteBuf data = cache.get(address);
            assertThat(data.nioBufferCount()).isLessThanOrEqualTo(5);
            data.release();
        }
    }

    @Test
    void saysThereIsNoRoomAndChangesNothing() {
        List<Integer> addresses = new ArrayList<>();
        byte[] bytes = bytes(100_000);
        for (int address = insert(bytes); address != NO_ROOM; address = insert(bytes)) {
            addresses.add(address);
        }
        CacheStats full = cache.stats();
        assertThat(full.usedBytes()).isLessThanOrEqualTo(full.capacityBytes());
        int last = addresses.getLast();
        assertThat(cache.append(last, Unpooled.wrappedBuffer(bytes))).isEqualTo(NO_ROOM);
        assertThat(cache.stats()).isEqualTo(full);
        assertHolds(cache.get(last), bytes, 0, bytes.length);
        int freed = cache.delete(addresses.removeFirst());
        assertThat(freed).isEqualTo(25 * BLOCK_BYTES);
        assertThat(insert(bytes)).isNotEqualTo(NO_ROOM);
    }

    @Test
    void boundsItsOverhead() {
        int blocks = 0;
        while (cache.insert(Unpooled.wrappedBuffer(bytes(BLOCK_BYTES))) != NO_ROOM) {
            blocks++;
        }
        CacheStats stats = cache.stats();
        assertThat(stats.usedBytes()).isEqualTo(stats.capacityBytes()).isEqualTo(4L * BUFFER_BYTES);
        assertThat(stats.storedBytes()).isEqualTo((long) blocks * BLOCK_BYTES);
        assertThat(stats.capacityBytes() - stats.storedBytes()).isLessThanOrEqualTo(stats.capacityBytes() / 500);
    }

    @Test
    void readersKeepWhatTheyHoldOfADeletedEntry() {
        byte[] bytes = bytes(50_000);
        int address = insert(bytes);
        ByteBuf held = cache.get(address, 20_000, 1_000);
        cache.delete(address);
        assertThat(cache.stats().deletedPinnedBytes()).isEqualTo(2 * BLOCK_BYTES);
        while (cache.insert(Unpooled.wrappedBuffer(new byte[BLOCK_BYTES])) != NO_ROOM) {}
        assertHolds(held, bytes, 20_000, 1_000);
        assertThat(cache.reclaim()).isEqualTo(1);
        assertThat(cache.stats().deletedPinnedBytes()).isZero();
        assertThat(cache.freeBlocks()).isEqualTo(2);
    }

    @Test
    void appendsBehindTheBackOfReaders() {
        byte[] bytes = bytes(3_000);
        int address = cache.insert(Unpooled.wrappedBuffer(bytes, 0, 1_000));
        ByteBuf held = cache.get(address);
        cache.append(address, Unpooled.wrappedBuffer(bytes, 1_000, 2_000));
        assertThat(held.readableBytes()).isEqualTo(1_000);
        assertThat(held.isWritable()).isFalse();
        assertHolds(held, bytes, 0, 1_000);
        assertHolds(cache.get(address), bytes, 0, 3_000);
    }

    @Test
    void slicesOfAReadHoldItToo() {
        byte[] bytes = bytes(9_000);
        int address = insert(bytes);
        ByteBuf whole = cache.get(address);
        ByteBuf part = whole.retainedSlice(5_000, 100);
        whole.release();
        cache.delete(address);
        assertThat(cache.reclaim()).isZero();
        assertHolds(part, bytes, 5_000, 100);
        assertThat(cache.reclaim()).isEqualTo(1);
    }

    @Test
    void copiesWhenMoreReadersHoldABlockThanItCanCount() {
        byte[] bytes = bytes(500);
        int address = insert(bytes);
        List<ByteBuf> held = new ArrayList<>();
        for (int i = 0; i < BlockTable.MAX_PINS + 10; i++) {
            held.add(cache.get(address));
        }
        held.forEach(data -> assertHolds(data, bytes, 0, 500));
        assertThat(cache.reclaim()).isEqualTo(BlockTable.MAX_PINS);
        assertThat(cache.delete(address)).isEqualTo(BLOCK_BYTES);
    }

    @Test
    void refusesWhatIsNoEntry() {
        int address = insert(bytes(10));
        cache.delete(address);
        for (int wrong : new int[] {address, 0, 512, -1, Integer.MAX_VALUE}) {
            assertThatThrownBy(() -> cache.get(wrong)).isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> cache.delete(wrong)).isInstanceOf(IllegalArgumentException.class);
        }
        assertThatThrownBy(() -> insert(new byte[0])).isInstanceOf(IllegalArgumentException.class);
        int other = insert(bytes(10));
        assertThatThrownBy(() -> cache.get(other, 5, 6)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> cache.get(other, 0, 0)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> cache.get(other, 1, Integer.MAX_VALUE)).isInstanceOf(IndexOutOfBoundsException.class);
        assertThatThrownBy(() -> new CacheConfig(1)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void keepsItsMemoryUntilTheLastReaderIsDone() {
        byte[] bytes = bytes(20_000);
        ByteBuf held = cache.get(insert(bytes));
        cache.close();
        cache.close();
        assertThatThrownBy(() -> insert(bytes)).isInstanceOf(IllegalStateException.class);
        assertHolds(held, bytes, 0, bytes.length);
    }

    @Test
    void isResidentOnlyWhereItWasUsed() throws IOException {
        Path statm = Path.of("/proc/self/statm");
        assumeTrue(Files.isReadable(statm));
        long before = residentBytes(statm);
        try (StreamingCache large = new StreamingCache(new CacheConfig(1L << 30))) {
            for (int entry = 0; entry < 100; entry++) {
                large.insert(Unpooled.wrappedBuffer(bytes(1000)));
            }
            assertThat(large.stats().usedBytes()).isLessThan(1 << 20);
            assertThat(residentBytes(statm) - before).isLessThan(256 << 20);
        }
    }

    @Test
    void givesTheMemoryOfRetiredBuffersBack() throws IOException {
        Path statm = Path.of("/proc/self/statm");
        assumeTrue(Files.isReadable(statm));
        try (StreamingCache large = new StreamingCache(new CacheConfig(256L << 20))) {
            List<Integer> entries = new ArrayList<>();
            byte[] bytes = bytes(1 << 20);
            for (int entry = 0; entry < 250; entry++) {
                entries.add(large.insert(Unpooled.wrappedBuffer(bytes)));
            }
            long full = residentBytes(statm);
            large.resize(64L << 20);
            assertThat(large.freeBlocks()).isNegative();
            assertThat(large.insert(Unpooled.wrappedBuffer(bytes))).isEqualTo(NO_ROOM);
            entries.stream().filter(large::retires).forEach(large::delete);
            assertThat(full - residentBytes(statm)).isGreaterThan(150L << 20);
            for (int entry : entries.subList(0, 50)) {
                assertHolds(large.get(entry), bytes, 0, bytes.length);
            }
            assertThat(large.resize(256L << 20)).isEqualTo(256L << 20);
            assertHolds(large.get(large.insert(Unpooled.wrappedBuffer(bytes))), bytes, 0, bytes.length);
        }
    }

    private static long residentBytes(Path statm) throws IOException {
        return Long.parseLong(Files.readString(statm).split(" ")[1]) * 4096;
    }

    private int insert(byte[] bytes) {
        return cache.insert(Unpooled.wrappedBuffer(bytes));
    }

    private byte[] bytes(int length) {
        return TestBytes.random(random, length);
    }
}
