package io.sluice.kafka.fetch;

import io.sluice.store.segment.SegmentContainer;
import java.util.ArrayList;
import java.util.List;

/**
 * Watches on the partitions of a session, from fetch to fetch, or of one fetch outside any session: they say which partitions have
 * changed, so that a fetch looks at no others. Any thread.
 *
 * <pre>
 *  log moves ─► watch: changed ─► the fetch that waits, if the reader has data now ─► takes those that changed, and reads them
 *                          └─────► else they lie here until a fetch takes them
 * </pre>
 */
final class FetchWatches extends WatchOwner {
    /** Guarded by this. */
    private final List<ContainerWatches> containers = new ArrayList<>(2);

    synchronized ContainerWatches of(SegmentContainer container) {
        for (ContainerWatches each : containers) {
            if (each.container() == container) {
                return each;
            }
        }
        ContainerWatches added = new ContainerWatches(this, container);
        containers.add(added);
        return added;
    }

    /** Partitions that have changed since they were taken last. */
    synchronized List<FetchPartition> takeChanged() {
        List<FetchPartition> all = new ArrayList<>();
        containers.forEach(each -> each.takeChanged(all));
        return all;
    }

    /** Forgets containers in which nothing is watched any more. Between fetches. */
    synchronized void prune() {
        containers.removeIf(each -> each.size() == 0 && !each.hasChanged());
    }

    synchronized int size() {
        return containers.stream().mapToInt(ContainerWatches::size).sum();
    }

    /** Ends all watches soon, and lets no more begin. A fetch that waits by them is answered. */
    void close() {
        List<ContainerWatches> all;
        synchronized (this) {
            setClosed();
            all = List.copyOf(containers);
        }
        all.stream().filter(each -> each.size() > 0).forEach(ContainerWatches::sweep);
        FetchUnderWay waiting = fetch();
        if (waiting != null) {
            waiting.expireNow();
        }
    }
}
