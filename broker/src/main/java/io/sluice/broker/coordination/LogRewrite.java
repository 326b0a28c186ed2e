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
 * Rewrites a coordinator log once: {@link #begin}, {@link #scan}, {@link #copy} for each batch, {@link #truncate}, and
 * {@link #close} however far it came. One thread; each step that changes something is one task on the loop.
 */
final class LogRewrite implements AutoCloseable {
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private static final int BATCH_BYTES = 512 << 10;

    /** Bytes of keys that may be written while a rewrite runs; it ends when there are more. */
    static final int MAX_WRITTEN_KEYS = 4 << 20;

    private final CoordinatorLog log;
    private final PartitionLog partition;
    private final WrittenKeys written;
    private final LogPosition position;
    private long start;
    private long end;
    private long bytesBefore;
    private long bytesCopied;
    private @Nullable LoopAnswer<Boolean> lastCopy;

    LogRewrite(CoordinatorLog log, int maxWrittenKeys) {
        this.log = log;
        this.partition = log.partition();
        this.position = log.position();
        this.written = new WrittenKeys(maxWrittenKeys);
    }

    /** All steps. */
    void run() {
        begin();
        for (List<LogRecord> batch : scan().batches(BATCH_BYTES)) {
            copy(batch);
        }
        truncate();
    }

    /** From here on the loop notes which keys are written. */
    void begin() {
        onLoop(() -> {
            position.check(partition);
            position.rewriteBegins(written);
            start = partition.startOffset();
            end = partition.sequencedEnd();
            bytesBefore = log.storedBytes();
            return true;
        });
    }

    /** What is alive of all that was sequenced before {@link #begin}; waits until that is durable. */
    LiveRecords scan() {
        LiveRecords live = new LiveRecords();
        long at = start;
        while (at < end) {
            LogRead.Chunk chunk = LogRead.read(partition, at, log.format().entryFormat(), () -> {}, PATIENCE);
            // A chunk may reach beyond the end. What was written there is among the written keys: no copy of it is
            // made.
            log.format().decode(chunk.entries(), live::add);
            at = chunk.nextOffset();
        }
        return live;
    }

    /** Appends a copy of those whose key was not written since {@link #begin}. */
    void copy(List<LogRecord> batch) {
        Copy copy = new Copy(batch, log.format().encode(batch));
        if (copy.sequence(PATIENCE) >= 0) {
            lastCopy = copy.durable;
        }
    }

    /**
     * Waits until the copies are durable, and deletes what they stand for. If a load runs, the old records stay until the
     * next time.
     *
     * @return whether they were deleted
     */
    boolean truncate() {
        if (lastCopy != null) {
            lastCopy.await(PATIENCE);
        }
        return onLoop(() -> {
            checkRunning();
            if (log.isLoading()) {
                return false;
            }
            partition.deleteBefore(end, Durable.IGNORED);
            log.truncated(bytesBefore, bytesCopied);
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
            bytesCopied += whole.remaining();
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
