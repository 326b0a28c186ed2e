package io.sluice.broker.compaction;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.sluice.broker.AppendedOffset;
import io.sluice.broker.TestBroker;
import io.sluice.broker.compaction.SimKeyedEntries.Rec;
import io.sluice.broker.entry.DelayRun;
import io.sluice.broker.entry.EntryFormat;
import io.sluice.broker.entry.EntryHeader;
import io.sluice.broker.log.DelayedRuns;
import io.sluice.broker.log.PartitionLog;
import io.sluice.broker.topic.TopicName;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Compaction leaves out runs of the index of delayed entries that others have replaced, and no others. */
@Timeout(60)
class OldDelayRunsTest {
    private static final TopicName TOPIC = TopicName.ofDefault("t");

    private final TestBroker broker = TestBroker.start();

    /** Runs that were compacted last, by offset. */
    private final List<Long> kept = new ArrayList<>();

    @BeforeEach
    void create() {
        Map<String, String> compacted = Map.of("cleanup.policy", "compact", "min.cleanable.dirty.ratio", "0");
        broker.catalogue().create(TOPIC, 1, true, false, compacted).join();
    }

    @AfterEach
    void stop() {
        broker.close();
    }

    private PartitionLog log() {
        return broker.partition(TOPIC, 0);
    }

    private long append(ByteBuf entry) throws Exception {
        CompletableFuture<Long> done = new CompletableFuture<>();
        broker.onLoop(log(), () -> {
            log().append(entry, new AppendedOffset(done));
            return true;
        });
        return done.get(30, TimeUnit.SECONDS);
    }

    private void appendRecord() throws Exception {
        append(SimKeyedEntries.entry(-1, List.of(new Rec(0, 1, 1)), 1));
    }

    private long appendRun(Long... replaced) throws Exception {
        DelayRun.Writer writer = new DelayRun.Writer();
        writer.add(1_000, 0, 1);
        return append(writer.entry(UnpooledByteBufAllocator.DEFAULT, 0, List.of(replaced), 1));
    }

    /** Keeps all that it is given, and says which runs there were. */
    private final class All implements KeyedEntries {
        @Override
        public byte format() {
            return EntryFormat.KAFKA_V2;
        }

        @Override
        public boolean readKeys(ByteBuffer entries, AbortedData aborted, Keys keys) {
            return true;
        }

        @Override
        public ByteBuffer rewrite(ByteBuffer entries, AbortedData aborted, Survivors survivors) {
            PartitionScan.forEach(entries, (bytes, at) -> {
                if (DelayRun.is(bytes, at)) {
                    kept.add(EntryHeader.baseOffset(bytes, at));
                }
            });
            return entries;
        }
    }

    /** Compacts all but the last entry. */
    private List<Long> compact() throws InterruptedException {
        kept.clear();
        assertThat(broker.compaction(List.of(new All()), 1 << 20, () -> 1_000).round())
                .isEqualTo(1);
        return kept;
    }

    private List<Long> inUse() {
        return broker.onLoop(
                log(),
                () -> log().delays().runs().stream().map(DelayedRuns.Run::base).toList());
    }

    @Test
    void runsInUseStay() throws Exception {
        appendRecord();
        long first = appendRun();
        long second = appendRun();
        appendRecord();
        long third = appendRun(first);
        appendRecord();
        appendRecord();
        assertThat(compact()).containsExactly(second, third);
        broker.restart();
        assertThat(inUse()).containsExactly(second, third);
        long fourth = appendRun(second, third);
        appendRecord();
        appendRecord();
        assertThat(compact()).containsExactly(fourth);
        assertThat(inUse()).containsExactly(fourth);
    }

    @Test
    void theLastEntryStaysUntilOthersAreCompacted() throws Exception {
        appendRecord();
        long first = appendRun();
        appendRun(first);
        assertThat(compact()).as("before the last, which replaces it").containsExactly(first);
        appendRecord();
        appendRecord();
        assertThat(compact()).isEqualTo(inUse());
    }
}
