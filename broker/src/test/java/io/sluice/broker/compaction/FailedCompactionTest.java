package io.sluice.broker.compaction;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.sluice.broker.AppendedOffset;
import io.sluice.broker.TestBroker;
import io.sluice.broker.compaction.SimKeyedEntries.Rec;
import io.sluice.broker.log.PartitionLog;
import io.sluice.broker.topic.TopicName;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A compaction that breaks while it reads, copies and stores leaves the partition as it was, and nothing beside it. */
@Timeout(120)
class FailedCompactionTest {
    private static final TopicName TOPIC = TopicName.ofDefault("t");
    private static final int ENTRIES = 16;

    /** An entry has a third of what a scan reads and of what an object holds. */
    private static final int RECORDS = 30_000;

    private static final int MAP_BYTES = 64 << 20;

    private final TestBroker broker = TestBroker.start();

    @BeforeEach
    void write() throws Exception {
        Map<String, String> compacted = Map.of("cleanup.policy", "compact", "min.cleanable.dirty.ratio", "0");
        broker.catalogue().create(TOPIC, 1, true, false, compacted).join();
        for (int i = 0; i < ENTRIES; i++) {
            int first = i * RECORDS;
            ByteBuf entry = SimKeyedEntries.entry(
                    -1,
                    IntStream.range(0, RECORDS)
                            .mapToObj(n -> new Rec(n, first + n, 1))
                            .toList(),
                    RECORDS);
            CompletableFuture<Long> done = new CompletableFuture<>();
            broker.onLoop(log(), () -> {
                log().append(entry, new AppendedOffset(done));
                return true;
            });
            done.get(30, TimeUnit.SECONDS);
        }
    }

    @AfterEach
    void stop() {
        broker.close();
    }

    private PartitionLog log() {
        return broker.partition(TOPIC, 0);
    }

    /** Breaks after so many copies. */
    private int compact(int copies) throws InterruptedException {
        int[] left = {copies};
        var entries = new RewritesWith(copy -> {
            if (left[0]-- == 0) {
                throw new IllegalStateException("planted");
            }
            return copy.get();
        });
        return broker.compaction(List.of(entries), MAP_BYTES, () -> 1_000).round();
    }

    private long sizeBytes() {
        return broker.onLoop(log(), () -> log().sizeBytes());
    }

    private int companions() {
        sizeBytes(); // behind what the failed one has asked of the loop
        return broker.companions().all().size();
    }

    @Test
    void leavesNothingAndTheNextOneSucceeds() throws Exception {
        long before = sizeBytes();
        for (int copies = 0; copies < 4; copies++) {
            assertThat(compact(copies)).isZero();
            assertThat(companions()).isZero();
            assertThat(sizeBytes()).isEqualTo(before);
        }
        assertThat(compact(Integer.MAX_VALUE)).isEqualTo(1);
        assertThat(sizeBytes()).isEqualTo(before);
        assertThat(companions()).isEqualTo(1);
        broker.restart();
        assertThat(sizeBytes()).isEqualTo(before);
    }
}
