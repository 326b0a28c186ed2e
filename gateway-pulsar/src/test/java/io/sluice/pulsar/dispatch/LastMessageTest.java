package io.sluice.pulsar.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.sluice.broker.TestBroker;
import io.sluice.broker.TestEntries;
import io.sluice.broker.entry.EndMarker;
import io.sluice.broker.entry.EntryHeader;
import io.sluice.broker.entry.ProducerIds;
import io.sluice.broker.log.AppendRejection;
import io.sluice.broker.log.AppendReply;
import io.sluice.broker.log.PartitionLog;
import io.sluice.store.segment.StoreFailure;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class LastMessageTest {
    private static final int ABORTED = 3_000;

    private final CompletableFuture<Long> lastAppend = new CompletableFuture<>();

    /** Each entry behind the message is a read of its own: that must not deepen the stack. */
    @Test
    void liesBehindManyAbortedTransactions() throws Exception {
        try (TestBroker broker = TestBroker.start()) {
            broker.createTopic("t", 1);
            PartitionLog log = broker.partition("t", 0);
            broker.onLoop(log, () -> {
                append(log, TestEntries.pulsar(ProducerIds.named("p"), 0, 2, 10, 1), -1);
                for (int i = 0; i < ABORTED; i++) {
                    abortOne(log, ProducerIds.single(i));
                }
                return true;
            });
            assertThat(lastAppend.get(30, TimeUnit.SECONDS)).isEqualTo(1 + 2 * ABORTED);
            CompletableFuture<String> found = new CompletableFuture<>();
            broker.onLoop(log, () -> {
                LastMessage.find(log, telling(found));
                return true;
            });
            assertThat(found.get(30, TimeUnit.SECONDS)).isEqualTo("0 with 2");
        }
    }

    private void abortOne(PartitionLog log, long single) {
        log.transactions().verified(log.transactions().verify(single, ProducerIds.SINGLE_EPOCH));
        append(log, TestEntries.pulsarIn(single, EntryHeader.NO_PRODUCER, 0, 1, 10, 1), -1);
        ByteBuf marker =
                EndMarker.entry(UnpooledByteBufAllocator.DEFAULT, single, ProducerIds.SINGLE_EPOCH, 1, false, 1);
        append(log, marker, 1 + 2 * ABORTED);
    }

    private void append(PartitionLog log, ByteBuf entry, long last) {
        log.append(entry, new AppendReply() {
            @Override
            public void appended(long baseOffset, long lastOffset) {
                if (lastOffset == last) {
                    lastAppend.complete(lastOffset);
                }
            }

            @Override
            public void duplicate(long baseOffset, long lastOffset) {
                lastAppend.completeExceptionally(new AssertionError("nothing is sent twice"));
            }

            @Override
            public void rejected(AppendRejection why) {
                lastAppend.completeExceptionally(new AssertionError(why.message()));
            }

            @Override
            public void failed(StoreFailure why) {
                lastAppend.completeExceptionally(new AssertionError(why.message()));
            }
        });
    }

    private static EntryLocation telling(CompletableFuture<String> found) {
        return new EntryLocation() {
            @Override
            public void entry(long base, int offsets) {
                found.complete(base + " with " + offsets);
            }

            @Override
            public void gone() {
                found.complete("gone");
            }

            @Override
            public void failed(StoreFailure why) {
                found.complete(why.message());
            }
        };
    }
}
