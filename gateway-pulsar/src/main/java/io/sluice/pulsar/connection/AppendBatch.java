package io.sluice.pulsar.connection;

import io.sluice.store.segment.LoopTask;
import io.sluice.store.segment.SegmentContainer;
import io.sluice.store.segment.StoreFailure;
import java.util.ArrayList;
import java.util.List;

/** The sends of one socket read that go to one container: one hop to its loop for all of them. */
final class AppendBatch implements LoopTask {
    private final SegmentContainer container;
    private final List<PendingSend> sends = new ArrayList<>();

    AppendBatch(SegmentContainer container) {
        this.container = container;
    }

    SegmentContainer container() {
        return container;
    }

    void add(PendingSend send) {
        sends.add(send);
    }

    @Override
    public void run() {
        for (PendingSend s : sends) {
            s.run();
        }
    }

    @Override
    public void abandoned(StoreFailure why) {
        for (PendingSend s : sends) {
            s.abandoned(why);
        }
    }

    /** Pulsar's client closes its connection when a send is refused; while they wait, nothing is read from it. */
    @Override
    public boolean patient() {
        return true;
    }
}
