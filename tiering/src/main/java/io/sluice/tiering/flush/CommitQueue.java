package io.sluice.tiering.flush;

import io.sluice.store.segment.Durable;
import io.sluice.store.segment.StoreFailure;
import io.sluice.store.tier.TierHost;
import io.sluice.tiering.flush.Upload.State;
import java.util.ArrayDeque;
import java.util.Iterator;
import java.util.function.Consumer;

/**
 * Retires uploads in the order in which they were chosen, so that every segment's ranges continue without a gap,
 * whichever upload is done first.
 */
final class CommitQueue implements Iterable<Upload> {
    private final TierHost host;
    private final Consumer<Upload> retired;
    private final ArrayDeque<Upload> order = new ArrayDeque<>();

    /** {@code retired} is told, on the loop, when a commit is durable. */
    CommitQueue(TierHost host, Consumer<Upload> retired) {
        this.host = host;
        this.retired = retired;
    }

    void add(Upload upload) {
        order.add(upload);
    }

    /** Sequences the commits whose turn it is. Returns how many. */
    int commitStored() {
        int committed = 0;
        while (!order.isEmpty() && order.getFirst().state == State.STORED) {
            commit(order.removeFirst());
            committed++;
        }
        return committed;
    }

    private void commit(Upload upload) {
        host.sequenceCommit(upload.object, upload.ranges, new Durable() {
            @Override
            public void durable() {
                retired.accept(upload);
            }

            @Override
            public void failed(StoreFailure why) {
                // The term is over; the next one collects the object or finds it committed.
            }
        });
    }

    /** Uploads whose commits are not yet sequenced, in order. */
    @Override
    public Iterator<Upload> iterator() {
        return order.iterator();
    }
}
