package io.sluice.broker.coordination;

import io.sluice.broker.log.PartitionLog;
import io.sluice.store.segment.StoreFailure;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** What a loop knows of a log since its state machine was loaded. Loop only; a load makes a new one. */
final class LogPosition {
    private final int epoch;

    /** Records that rewrites have appended: the state machine does not know of them. */
    private long copied;

    /** Null if no rewrite runs. */
    private @Nullable WrittenKeys written;

    LogPosition(int epoch) {
        this.epoch = epoch;
    }

    /** @throws CoordinatorLogException.Store if the state machine was loaded in an earlier term */
    void check(PartitionLog log) {
        if (log.leaderEpoch() != epoch) {
            throw new CoordinatorLogException.Store(
                    new StoreFailure.NotOwner(log.container().id(), "the state machine was not loaded in this term"));
        }
    }

    long copied() {
        return copied;
    }

    void countCopied(int records) {
        copied += records;
    }

    /** A rewrite begins its scan at this moment; one that ran before is over. */
    void rewriteBegins(WrittenKeys keys) {
        written = keys;
    }

    void rewriteEnds(WrittenKeys keys) {
        if (written == keys) {
            written = null;
        }
    }

    boolean isRewriting(WrittenKeys keys) {
        return written == keys;
    }

    /** What is not known to be copied safely ends the rewrite, never the append. */
    void appended(ByteBuffer batch, RecordFormat format) {
        WrittenKeys keys = written;
        if (keys == null) {
            return;
        }
        try {
            format.decode(batch, (record, offset, transaction) -> keys.add(record));
            if (keys.isFull()) {
                written = null;
            }
        } catch (RuntimeException e) {
            written = null;
        }
    }
}
