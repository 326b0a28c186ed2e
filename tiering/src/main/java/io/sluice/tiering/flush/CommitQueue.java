package io.sluice.tiering.flush;

import io.sluice.store.segment.Durable;
import io.sluice.store.tier.TierHost;
import java.util.ArrayDeque;
import java.util.Iterator;
import java.util.function.Consumer;

/**
 * Retires uploads in the order in which they were chosen, so that every segment's ranges continue without a gap,
 * whichever upload is done first.
 */
final class CommitQueue implements Iterable<FlushUpload> {
    private final TierHost host;
    private final Consumer<FlushUpload> retired;
    private final ArrayDeque<FlushUpload> order = new ArrayDeque<>();

    /** {@code retired} is told, on the loop, when a commit is durable. */
    CommitQueue(TierHost host, Consumer<FlushUpload> retired) {
        this.host = host;
        this.retired = retired;
    }

    void add(FlushUpload upload) {
        order.add(upload);
    }

    /** Sequences the commits whose turn it is. Returns how many. */
    int commitStored() {
        int committed = 0;
        while (!order.isEmpty() && order.getFirst().stored()) {
            commit(order.removeFirst());
            committed++;
        }
        return committed;
    }

    private void commit(FlushUpload upload) {
        // if the term ends first, the next one collects the object or finds it committed
        host.sequenceCommit(upload.object, upload.ranges, Durable.of(() -> retired.accept(upload)));
    }

    /** Uploads whose commits are not yet sequenced, in order. */
    @Override
    public Iterator<FlushUpload> iterator() {
        return order.iterator();
    }
}
