package io.sluice.broker.log.read;

import io.sluice.broker.log.PartitionLog.Waiting;
import io.sluice.broker.log.PartitionLog.Watcher;
import io.sluice.store.segment.StoreFailure;
import java.util.ArrayList;
import java.util.List;

/** Watchers of one partition, in no order. To cancel one costs the same however many there are. */
final class LogWatchers {
    private List<Watched> all = new ArrayList<>(1);

    private final class Watched implements Waiting {
        private final Watcher watcher;
        /** Place in the list; -1 once cancelled. */
        private int place;

        Watched(Watcher watcher, int place) {
            this.watcher = watcher;
            this.place = place;
        }

        @Override
        public void cancel() {
            if (place < 0) {
                return;
            }
            Watched last = all.removeLast();
            if (last != this) {
                all.set(place, last);
                last.place = place;
            }
            place = -1;
        }
    }

    Waiting add(Watcher watcher) {
        Watched added = new Watched(watcher, all.size());
        all.add(added);
        return added;
    }

    int size() {
        return all.size();
    }

    /** A watcher may cancel itself, or others, while it is told. */
    void moved() {
        for (int i = all.size() - 1; i >= 0; i = Math.min(i, all.size()) - 1) {
            all.get(i).watcher.moved();
        }
    }

    void closed(StoreFailure why) {
        List<Watched> told = all;
        all = new ArrayList<>(0);
        for (Watched each : told) {
            if (each.place >= 0) {
                each.place = -1;
                each.watcher.closed(why);
            }
        }
    }
}
