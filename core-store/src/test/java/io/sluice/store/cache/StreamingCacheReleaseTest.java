package io.sluice.store.cache;

import static io.sluice.store.cache.StreamingCache.BUFFER_BYTES;
import static io.sluice.store.cache.StreamingCache.NO_ROOM;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** Readers on other threads look at what they got and let go, while the owner deletes and overwrites. */
class StreamingCacheReleaseTest {
    private static final int READERS = 3;
    private static final int ROUNDS = Integer.getInteger("sluice.cache.rounds", 30_000);

    private final BlockingQueue<ByteBuf> toReaders = new ArrayBlockingQueue<>(64);

    @Test
    void blocksComeBackOnlyAfterTheirLastReader() throws Exception {
        try (ExecutorService readers = Executors.newFixedThreadPool(READERS);
                StreamingCache cache = new StreamingCache(new CacheConfig(BUFFER_BYTES))) {
            List<Future<Integer>> running = new ArrayList<>();
            for (int i = 0; i < READERS; i++) {
                running.add(readers.submit(this::readUntilTheEmptyBuffer));
            }
            try {
                churn(cache);
            } finally {
                for (int i = 0; i < READERS; i++) {
                    toReaders.put(Unpooled.EMPTY_BUFFER);
                }
            }
            for (Future<Integer> reader : running) {
                assertThat(reader.get()).isZero();
            }
            cache.reclaim();
            assertThat(cache.freeBlocks()).isEqualTo(511);
        }
    }

    @Test
    void memoryGoesWithTheLastReaderAfterClose() throws Exception {
        for (int round = 0; round < 200; round++) {
            StreamingCache cache = new StreamingCache(new CacheConfig(BUFFER_BYTES));
            ByteBuf data = cache.get(cache.insert(filled((byte) round, 50_000)));
            AtomicBoolean whole = new AtomicBoolean();
            Thread reader = Thread.startVirtualThread(() -> {
                whole.set(isUniform(data));
                data.release();
            });
            cache.close();
            reader.join();
            assertThat(whole).isTrue();
            assertThat(data.refCnt()).isZero();
        }
    }

    private void churn(StreamingCache cache) throws InterruptedException {
        Random random = new Random(3);
        Deque<Integer> entries = new ArrayDeque<>();
        for (int round = 0; round < ROUNDS; round++) {
            int address = cache.insert(filled((byte) round, 1 + random.nextInt(60_000)));
            if (address == NO_ROOM) {
                if (!entries.isEmpty()) {
                    cache.delete(entries.removeFirst());
                }
                continue;
            }
            entries.add(address);
            toReaders.put(cache.get(address));
            if (random.nextInt(4) == 0) {
                cache.delete(entries.removeLast());
            }
        }
        entries.forEach(cache::delete);
    }

    /** Goes on after a wrong one, or the owner would wait for ever. Returns how many were wrong. */
    private int readUntilTheEmptyBuffer() throws InterruptedException {
        int wrong = 0;
        for (ByteBuf data = toReaders.take(); data.isReadable(); data = toReaders.take()) {
            wrong += isUniform(data) ? 0 : 1;
            data.release();
        }
        return wrong;
    }

    private static boolean isUniform(ByteBuf data) {
        byte first = data.getByte(data.readerIndex());
        return data.forEachByte(value -> value == first) == -1;
    }

    private static ByteBuf filled(byte value, int length) {
        byte[] bytes = new byte[length];
        Arrays.fill(bytes, value);
        return Unpooled.wrappedBuffer(bytes);
    }
}
