package io.sluice.pulsar.replication.subscription;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Decides for one partition which markers to write. Pure.
 *
 * <pre>
 *   here:  request ─────────────────────────────► response read ──► snapshot ──► acknowledged up to it ──► update
 *   there:            request read ──► response                                                              moved
 * </pre>
 *
 * <p>A message that is before the request there came from here before it, or goes from there to here before the response. So all messages up
 * to the request there are here before the response.
 */
final class SubscriptionSync {
    /** As Pulsar waits for an answer. */
    private static final long TIMEOUT_MILLIS = 30_000;

    /** Updates written by one tick; the others follow. */
    private static final int MOST_UPDATES = 100;

    static final int MOST_SNAPSHOTS = 64;

    private final String own;
    private final Supplier<String> ids;
    private final SnapshotCache snapshots = new SnapshotCache(MOST_SNAPSHOTS);
    /** Snapshot that other clusters were told last, by subscription. */
    private final Map<String, Snapshot> told = new HashMap<>();
    /** Where another cluster has moved a subscription: there is nothing to tell of it until it goes on here. */
    private final Map<String, Long> followed = new HashMap<>();

    private @Nullable SnapshotRound round;
    /** One past the last message of which the last snapshot knew. */
    private long covered;

    /**
     * @param own name of the server's own cluster
     * @param ids new ones, not used before
     */
    SubscriptionSync(String own, Supplier<String> ids) {
        this.own = own;
        this.ids = ids;
    }

    /**
     * Looks at what has happened since the last time.
     *
     * @param now milliseconds, of any clock
     * @param dataEnd one past the last message; -1 if not known yet
     * @param others clusters to ask; none if one of them cannot be reached
     * @param acked of each replicated subscription the offset below which everything is acknowledged
     * @return to be written, in this order
     */
    List<Marker> tick(long now, long dataEnd, Set<String> others, Map<String, Long> acked) {
        told.keySet().retainAll(acked.keySet());
        followed.keySet().retainAll(acked.keySet());
        if (acked.isEmpty()) {
            snapshots.clear();
            round = null;
            covered = 0;
            return List.of();
        }
        List<Marker> markers = new ArrayList<>(updates(acked));
        if (round != null && now - round.startedAt() > TIMEOUT_MILLIS) {
            round = null;
        }
        if (round == null && !others.isEmpty() && dataEnd > covered && anyGoesOnHere(acked)) {
            round = new SnapshotRound(ids.get(), others, now, dataEnd);
            markers.add(new Marker.Request(round.id(), own));
        }
        return markers;
    }

    private boolean anyGoesOnHere(Map<String, Long> acked) {
        return acked.entrySet().stream().anyMatch(each -> goesOnHere(each.getKey(), each.getValue()));
    }

    private boolean goesOnHere(String subscription, long ackedBelow) {
        Long end = followed.get(subscription);
        return end == null || end != ackedBelow;
    }

    private List<Marker> updates(Map<String, Long> acked) {
        List<Marker> updates = new ArrayList<>();
        long wanted = Long.MAX_VALUE;
        for (Map.Entry<String, Long> each : acked.entrySet()) {
            Snapshot reached = snapshots.reached(each.getValue());
            if (reached == null) {
                wanted = Math.min(wanted, each.getValue());
                continue;
            }
            wanted = Math.min(wanted, reached.end());
            if (goesOnHere(each.getKey(), each.getValue())
                    && isNews(reached, told.get(each.getKey()))
                    && updates.size() < MOST_UPDATES) {
                told.put(each.getKey(), reached);
                updates.add(new Marker.Update(each.getKey(), reached.places()));
            }
        }
        snapshots.forgetBelow(wanted);
        return updates;
    }

    private static boolean isNews(Snapshot reached, @Nullable Snapshot told) {
        return told == null || reached.end() > told.end() || reached.end() == told.end() && !reached.equals(told);
    }

    /** An update could not be written; it is tried again. */
    void lost(Marker.Update update) {
        told.remove(update.subscription());
    }

    /**
     * Another cluster asks.
     *
     * @param here place of its request in this log
     * @return to be written
     */
    Marker asked(Marker.Request request, String from, Place here) {
        return new Marker.Response(request.id(), from, own, here);
    }

    /**
     * Another cluster has answered.
     *
     * @param here place of its answer in this log
     * @param dataEnd one past the last message before it, or more
     * @return to be written; null if there is nothing
     */
    @Nullable
    Marker answered(Marker.Response response, String from, Place here, long dataEnd) {
        SnapshotRound asking = round;
        if (asking == null || !asking.id().equals(response.id()) || !from.equals(response.cluster())) {
            return null;
        }
        return switch (asking.answered(from, response.place(), ids.get())) {
            case WAIT -> null;
            case ASK_AGAIN -> new Marker.Request(asking.id(), own);
            case COMPLETE -> {
                long end = Math.max(1, Math.min(here.entry() + 1, dataEnd));
                snapshots.add(new Snapshot(end, asking.places()));
                covered = asking.dataEnd();
                round = null;
                yield new Marker.Taken(asking.id(), own, new Place(here.ledger(), end - 1), asking.places());
            }
        };
    }

    /** A subscription has come to a snapshot that was taken in an earlier term. */
    void found(Marker.Taken taken) {
        if (taken.cluster().equals(own) && taken.here().entry() >= 0) {
            snapshots.add(new Snapshot(taken.here().entry() + 1, taken.places()));
        }
    }

    /** Another cluster has moved a subscription, which has acknowledged everything below {@code ackedBelow} now. */
    void followed(String subscription, long ackedBelow) {
        followed.put(subscription, ackedBelow);
    }
}
