package io.sluice.pulsar.dispatch;

import io.netty.buffer.ByteBuf;
import io.sluice.broker.entry.DelayRun;
import io.sluice.broker.entry.EntryHeader;
import io.sluice.broker.log.DelayedRuns.Run;
import io.sluice.broker.log.Entries;
import io.sluice.broker.log.EntriesReply;
import io.sluice.broker.log.Isolation;
import io.sluice.broker.log.PartitionLog;
import io.sluice.store.segment.LoopTask;
import io.sluice.store.segment.StoreFailure;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

/** Reads runs of a partition's index of delayed entries, one in a turn of the loop. What fails is tried again. Loop only. */
final class DelayRunReader implements EntriesReply {
    private static final long RETRY_MILLIS = 250;

    private final PartitionLog log;
    private final Deque<Run> left;
    private final Receiver receiver;

    /** Receiver of what is read. */
    interface Receiver extends DelayRun.Visitor {
        /** All entries of the run were given, or those that were wanted. */
        void read(Run run);

        /** The run is not in the log any more, or damaged there. Nothing else follows. */
        void lost(Run run);

        /** All runs were read. */
        void ended();

        /** Whether nothing more is wanted, and nothing is to be told. */
        boolean isClosed();
    }

    DelayRunReader(PartitionLog log, List<Run> runs, Receiver receiver) {
        this.log = log;
        this.left = new ArrayDeque<>(runs);
        this.receiver = receiver;
    }

    /** The first run is read in this turn. */
    void next() {
        Run run = left.peek();
        if (receiver.isClosed()) {
            return;
        }
        if (run == null) {
            receiver.ended();
        } else {
            log.read(run.base(), 1, Isolation.UNCOMMITTED, this);
        }
    }

    @Override
    public void entries(Entries entries) {
        ByteBuf bytes = entries.bytes();
        try {
            Run run = left.remove();
            int at = bytes.readerIndex();
            if (receiver.isClosed()) {
                return;
            }
            if (EntryHeader.baseOffset(bytes, at) != run.base() || !DelayRun.is(bytes, at)) {
                receiver.lost(run);
                return;
            }
            DelayRun.forEach(bytes, at, receiver);
            receiver.read(run);
            // if the container stops first, the partition's hub ends with it
            log.container().execute(LoopTask.of(this::next));
        } finally {
            bytes.release();
        }
    }

    @Override
    public void atEnd() {
        lost();
    }

    @Override
    public void outOfRange(long startOffset, long endOffset) {
        lost();
    }

    private void lost() {
        if (!receiver.isClosed()) {
            receiver.lost(left.remove());
        }
    }

    @Override
    public void failed(StoreFailure why) {
        if (!log.container().onLoop()) {
            return; // the container has stopped, and with it all there is
        }
        if (why instanceof StoreFailure.Corrupt) {
            lost();
        } else {
            log.container().schedule(RETRY_MILLIS, LoopTask.of(this::next));
        }
    }
}
