package io.sluice.broker.coordination;

import io.sluice.broker.log.PartitionLog;
import io.sluice.store.segment.Durable;
import io.sluice.store.segment.StoreFailure;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Rewrites a coordinator log once: {@link #begin}, {@link #scan}, {@link #copy} for each batch of {@link #toCopy}, {@link #again}
 * and its copies while something {@linkplain #isStillNeeded is still needed}, {@link #truncate}, and {@link #close} however far it
 * came. One thread; each step that changes something is one task on the loop. See docs/adr/0038 and, for transactions, 0049.
 */
final class LogRewrite implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private static final int BATCH_BYTES = 512 << 10;

    /** Bytes of keys that may be written while a rewrite runs; it ends when there are more. */
    static final int MAX_WRITTEN_KEYS = 4 << 20;

    /** How often it is looked whether transactions have decided what may go, and how long is waited each time. */
    private static final int ROUNDS = 50;

    private static final Duration ROUND = Duration.ofMillis(100);

    private final CoordinatorLog log;
    private final PartitionLog partition;
    private final WrittenKeys written;
    private final LogPosition position;
    private final LiveRecords live = new LiveRecords();
    private long start;
    private long sequenced;
    private long bytesBefore;

    /** How far {@link #live} has been read. */
    private long next;

    /** What lies before it is decided, and is to go. */
    private long end;

    private @Nullable LoopAnswer<Boolean> lastCopy;

    LogRewrite(CoordinatorLog log, int maxWrittenKeys) {
        this.log = log;
        this.partition = log.partition();
        this.position = log.position();
        this.written = new WrittenKeys(maxWrittenKeys);
    }

    /**
     * All steps.
     *
     * @return false if nothing was deleted
     */
    boolean run() throws InterruptedException {
        begin();
        scan();
        toCopy(BATCH_BYTES).forEach(this::copy);
        for (int round = 0; round < ROUNDS && isStillNeeded(); round++) {
            Thread.sleep(ROUND);
            again();
            toCopy(BATCH_BYTES).forEach(this::copy);
        }
        return truncate();
    }

    /** From here on the loop notes which keys are written. */
    void begin() {
        onLoop(() -> {
            position.check(partition);
            position.rewriteBegins(written);
            start = partition.startOffset();
            sequenced = partition.sequencedEnd();
            bytesBefore = log.storedBytes();
            return true;
        });
        next = start;
    }

    /** Finds what is alive of all that was sequenced before {@link #begin}, and what is undecided; waits until that is durable. */
    void scan() {
        readTo(sequenced);
        end = Math.min(sequenced, live.undecidedFrom());
    }

    private void readTo(long offset) {
        while (next < offset) {
            LogRead.Chunk chunk = LogRead.read(partition, next, log.format().entryFormat(), () -> {}, PATIENCE);
            // A chunk may reach beyond the offset. What was written there is among the written keys: no copy of it is
            // made.
            log.format().decode(chunk.entries(), live);
            next = chunk.nextOffset();
        }
    }

    /** What is alive before the end, apart from what has a copy and what a transaction that is undecided has written to. */
    List<List<LogRecord>> toCopy(int batchBytes) {
        return live.batches(batchBytes, end);
    }

    /** Appends a copy of those whose key was not written since {@link #begin} or {@link #again}. */
    void copy(List<LogRecord> batch) {
        Copy copy = new Copy(batch, log.format().encode(batch));
        if (copy.sequence(PATIENCE) >= 0) {
            lastCopy = copy.durable;
        }
    }

    /**
     * Waits until the copies are durable.
     *
     * @return whether something before the end has no copy and nothing that took its place: transactions have written to its key,
     *     and are undecided or were aborted
     */
    boolean isStillNeeded() {
        if (lastCopy != null) {
            lastCopy.await(PATIENCE);
        }
        readTo(onLoop(partition::sequencedEnd));
        return live.firstOffset() < end;
    }

    /** What is still needed may be copied if nobody writes to its key from here on. */
    void again() {
        readTo(onLoop(() -> {
            checkRunning();
            written.forget();
            return partition.sequencedEnd();
        }));
    }

    /**
     * Deletes what has copies, or was written again, up to what {@linkplain #isStillNeeded is still needed}. If a load runs, the old
     * records stay until the next time.
     *
     * @return whether something was deleted
     */
    boolean truncate() {
        long before = Math.min(end, live.firstOffset());
        return onLoop(() -> {
            checkRunning();
            if (log.isLoading() || before <= start) {
                return false;
            }
            long gone = partition.bytesAfter(start) - partition.bytesAfter(before);
            partition.deleteBefore(before, Durable.IGNORED);
            log.truncated(before == sequenced ? bytesBefore : Math.min(gone, bytesBefore), live.bytes());
            return true;
        });
    }

    private void checkRunning() {
        position.check(partition);
        if (log.position() != position || !position.isRewriting(written)) {
            throw new CoordinatorLogException("too much was written meanwhile, or the state machine was loaded again");
        }
    }

    private <T> T onLoop(Supplier<T> step) {
        return LoopCall.on(partition.container(), step, PATIENCE);
    }

    /** The loop notes no more keys. Does not wait. */
    @Override
    public void close() {
        partition
                .container()
                .execute(new LoopCall<>(
                        () -> {
                            position.rewriteEnds(written);
                            return true;
                        },
                        new LoopAnswer<>()));
    }

    private final class Copy extends SequencedAppend {
        private final List<LogRecord> records;
        private final ByteBuffer whole;
        private final LoopAnswer<Boolean> durable = new LoopAnswer<>();
        private List<LogRecord> left = List.of();
        private int bytes;

        Copy(List<LogRecord> records, ByteBuffer whole) {
            super(partition);
            this.records = records;
            this.whole = whole;
        }

        @Override
        @Nullable
        ByteBuffer batch() {
            checkRunning();
            left = written.unwritten(records);
            if (left.isEmpty()) {
                return null;
            }
            ByteBuffer batch =
                    left.size() == records.size() ? whole : log.format().encode(left);
            bytes = batch.remaining();
            return batch;
        }

        @Override
        long sequencedAt(long base) {
            position.countCopied(left.size());
            log.copied(bytes);
            return base;
        }

        @Override
        void durable(long lastOffset) {
            durable.answer(true);
        }

        @Override
        void lost(StoreFailure why) {
            durable.fail(why);
        }
    }
}
