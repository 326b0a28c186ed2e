package io.sluice.broker.compaction;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.sluice.broker.AppendedOffset;
import io.sluice.broker.TestBroker;
import io.sluice.broker.compaction.SimKeyedEntries.Rec;
import io.sluice.broker.entry.EntryHeader;
import io.sluice.broker.log.PartitionLog;
import io.sluice.broker.topic.TopicName;
import io.sluice.store.segment.Durable;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Records that are deleted while a compaction has copied them do not come back with what it has made. */
@Timeout(60)
class OvertakenCompactionTest {
    private static final TopicName TOPIC = TopicName.ofDefault("t");
    private static final int ENTRIES = 20;

    private final TestBroker broker = TestBroker.start();

    @BeforeEach
    void write() throws Exception {
        Map<String, String> compacted = Map.of("cleanup.policy", "compact", "min.cleanable.dirty.ratio", "0");
        broker.catalogue().create(TOPIC, 1, true, false, compacted).join();
        for (int i = 0; i < ENTRIES; i++) {
            ByteBuf entry = entry(i);
            this.<Long>await(done -> log().append(entry, new AppendedOffset(done)));
        }
    }

    @AfterEach
    void stop() {
        broker.close();
    }

    private PartitionLog log() {
        return broker.partition(TOPIC, 0);
    }

    private <T> T await(Consumer<CompletableFuture<T>> step) throws Exception {
        CompletableFuture<T> done = new CompletableFuture<>();
        broker.onLoop(log(), () -> {
            step.accept(done);
            return true;
        });
        return done.get(30, TimeUnit.SECONDS);
    }

    private void deleteBefore(long offset) {
        try {
            this.<Boolean>await(done -> log().retention()
                    .deleteBefore(
                            offset,
                            Durable.of(
                                    () -> done.complete(true),
                                    why -> done.completeExceptionally(new AssertionError(why.message())))));
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    /** Deletes when all is copied that is going to be copied. */
    private int compact(long deletedMeanwhile) throws InterruptedException {
        var entries = new RewritesWith(rewrite -> {
            ByteBuffer left = rewrite.get();
            deleteBefore(deletedMeanwhile);
            return left;
        });
        return broker.compaction(List.of(entries), 1 << 20, () -> 1_000).round();
    }

    private long sizeBytes() {
        return broker.onLoop(log(), () -> log().sizeBytes());
    }

    private long companions() {
        return broker.companions().all().size();
    }

    private static ByteBuf entry(int key) {
        return SimKeyedEntries.entry(-1, List.of(new Rec(0, key, 1)), 1);
    }

    private static long entryBytes() {
        ByteBuf entry = entry(0);
        try {
            return EntryHeader.size(entry, 0);
        } finally {
            entry.release();
        }
    }

    @Test
    void someOfItIsDeleted() throws Exception {
        assertThat(compact(15)).isEqualTo(1);
        expectFrom(15);
        assertThat(companions()).isEqualTo(1);
        broker.restart();
        expectFrom(15);
    }

    @Test
    void allOfItIsDeleted() throws Exception {
        assertThat(compact(ENTRIES)).isZero();
        expectFrom(ENTRIES);
        assertThat(companions()).isZero();
        broker.restart();
        expectFrom(ENTRIES);
    }

    private void expectFrom(long entry) {
        assertThat(broker.onLoop(log(), () -> log().startOffset())).isEqualTo(entry);
        assertThat(sizeBytes()).isEqualTo((ENTRIES - entry) * entryBytes());
    }
}
