package io.sluice.conversion;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Readers whose entries are converted at the same time. */
class EntryConversionsTest {
    private static final int MANY = 2 * Runtime.getRuntime().availableProcessors() + 8;

    /** Place of the number of records in a Kafka batch. */
    private static final int RECORDS_AT = 57;

    private final EntryConversions conversions = EntryConversions.inHeap(Integer.MAX_VALUE, Thread::startVirtualThread);

    @Test
    void whoWaitsForEarlierChunksHoldsNobodyElseUp() throws Exception {
        CountDownLatch asked = new CountDownLatch(1);
        CountDownLatch answer = new CountDownLatch(1);
        EarlierEntries slow = (_, _) -> {
            asked.countDown();
            await(answer);
            return null;
        };
        List<CompletableFuture<Integer>> waiting = new ArrayList<>();
        for (int partition = 1; partition <= MANY; partition++) {
            waiting.add(records(partition, lastChunk(), slow));
        }
        assertThat(asked.await(60, TimeUnit.SECONDS)).isTrue();

        assertThat(get(records(0, TestEntries.single(TestEntries.metadata(), Utf8.bytes("v")), slow)))
                .isEqualTo(1);

        assertThat(waiting).noneMatch(CompletableFuture::isDone);
        answer.countDown();
        for (CompletableFuture<Integer> each : waiting) {
            assertThat(get(each)).as("its first chunk is not there").isZero();
        }
        assertThat(get(records(MANY + 1, lastChunk(), slow)))
                .as("all have left")
                .isZero();
    }

    @Test
    void afterAFailedReadOthersAreConverted() throws Exception {
        EarlierEntries broken = (_, _) -> {
            throw new EarlierEntries.UnavailableException("no");
        };
        for (int partition = 1; partition <= MANY; partition++) {
            assertThat(get(records(partition, lastChunk(), broken))).isEqualTo(-1);
        }
        assertThat(get(records(1, lastChunk(), (_, _) -> null))).isZero();
    }

    private static ByteBuf lastChunk() {
        return TestEntries.single(
                TestEntries.metadata()
                        .setUuid("u")
                        .setChunkId(1)
                        .setNumChunksFromMsg(2)
                        .setTotalChunkMsgSize(2),
                Utf8.bytes("b"));
    }

    /** How many records become of an entry, -1 if it failed. */
    private CompletableFuture<Integer> records(long partition, ByteBuf entry, EarlierEntries earlier) {
        CompletableFuture<Integer> records = new CompletableFuture<>();
        var place = new EntryConversions.Place(new UUID(0, partition), partition);
        conversions.toKafka(place, entry, earlier, Integer.MAX_VALUE, new EntryConversions.Reply() {
            @Override
            public void converted(ByteBuf bytes, long nextOffset) {
                int count = bytes.getInt(bytes.readerIndex() + RECORDS_AT);
                bytes.release();
                records.complete(count);
            }

            @Override
            public void failed() {
                records.complete(-1);
            }
        });
        return records;
    }

    private static int get(CompletableFuture<Integer> records) throws Exception {
        return records.get(60, TimeUnit.SECONDS);
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
