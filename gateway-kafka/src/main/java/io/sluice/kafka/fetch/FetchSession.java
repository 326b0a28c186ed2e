package io.sluice.kafka.fetch;

import io.sluice.broker.log.Isolation;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.FetchMetadata;
import org.jspecify.annotations.Nullable;

/**
 * Incremental fetch session of a client (KIP-227): its requests name only the partitions that changed, and its fetches look only at those
 * and at what its {@link FetchWatches} say. Guarded by {@link FetchSessions}.
 */
final class FetchSession {
    static final Comparator<FetchPartition> IN_ORDER = Comparator.comparingLong(FetchPartition::turn);

    /** Time after which it is seen whether the logs of all partitions are still those that are watched: topics and rights change. */
    private static final long LOOK_UP_AGAIN_MILLIS = 1_000;

    private final int id;
    private final boolean topicIds;
    private final Map<FetchPartition.Key, FetchPartition> partitions = new HashMap<>();
    /** To be looked at by the next fetch, whatever the watches say. Between fetches. */
    private List<FetchPartition> due = new ArrayList<>();

    private long nextTurn;
    private int epoch = FetchMetadata.INITIAL_EPOCH;
    private boolean busy;
    private long lastUsed;
    private BooleanSupplier connected = () -> true;

    private @Nullable FetchWatches watches;
    /** Partitions for which {@link FetchWaits} has given room. */
    private int room;

    private Isolation isolation = Isolation.UNCOMMITTED;
    private long lastLookUp;
    private long lastRights;

    FetchSession(int id, boolean topicIds) {
        this.id = id;
        this.topicIds = topicIds;
    }

    int id() {
        return id;
    }

    boolean usesTopicIds() {
        return topicIds;
    }

    int size() {
        return partitions.size();
    }

    long lastUsed() {
        return lastUsed;
    }

    boolean isBusy() {
        return busy;
    }

    /**
     * A request of epoch {@link #expectedEpoch} begins.
     *
     * @param by whether the client that sent it is still there
     */
    void begin(long now, BooleanSupplier by) {
        busy = true;
        lastUsed = now;
        connected = by;
        epoch = FetchMetadata.nextEpoch(epoch);
    }

    /** The fetch that looked at these is over. */
    void end(List<FetchPartition> lookedAt) {
        for (FetchPartition partition : lookedAt) {
            partition.leave();
            if (!partition.isSettled() && !partition.isForgotten()) {
                due.add(partition);
            }
        }
        busy = false;
    }

    boolean isConnected() {
        return connected.getAsBoolean();
    }

    int expectedEpoch() {
        return epoch;
    }

    /** Takes over what the request says, and gives the partitions that it names. */
    List<FetchPartition> update(FetchRequestData request) {
        List<FetchPartition> named = new ArrayList<>();
        for (FetchRequestData.FetchTopic topic : request.topics()) {
            for (FetchRequestData.FetchPartition asked : topic.partitions()) {
                FetchPartition partition =
                        partitions.computeIfAbsent(key(topic.topic(), topic.topicId(), asked.partition()), this::add);
                partition.ask(asked);
                named.add(partition);
            }
        }
        for (FetchRequestData.ForgottenTopic topic : request.forgottenTopicsData()) {
            for (int partition : topic.partitions()) {
                forget(key(topic.topic(), topic.topicId(), partition));
            }
        }
        return named;
    }

    private FetchPartition.Key key(String topic, Uuid id, int partition) {
        return topicIds
                ? new FetchPartition.Key("", id, partition)
                : new FetchPartition.Key(topic, Uuid.ZERO_UUID, partition);
    }

    private FetchPartition add(FetchPartition.Key key) {
        FetchPartition added = new FetchPartition(key);
        added.setTurn(nextTurn++);
        return added;
    }

    private void forget(FetchPartition.Key key) {
        FetchPartition gone = partitions.remove(key);
        if (gone == null) {
            return;
        }
        gone.forget();
        LogWatch watch = gone.watch();
        if (watch != null) {
            watch.endSoon();
        }
    }

    /** All partitions, in order. */
    List<FetchPartition> inOrder() {
        List<FetchPartition> all = new ArrayList<>(partitions.values());
        all.sort(IN_ORDER);
        return all;
    }

    /** Partitions that gave data go to the end, so that none starves under the response's size limit. */
    void moveToEnd(FetchPartition partition) {
        partition.setTurn(nextTurn++);
    }

    /**
     * Plans the fetch that has begun.
     *
     * @param named by the request
     * @param rights version of clients' rights: when it is another, all partitions are looked up again
     */
    FetchPlan plan(
            List<FetchPartition> named, Isolation asked, boolean incremental, FetchWaits waits, long now, long rights) {
        boolean wasWatched = watches != null;
        if (!findRoom(waits)) {
            stopWatching(waits);
        } else if (watches == null) {
            watches = new FetchWatches();
        } else {
            watches.prune();
        }
        boolean known = wasWatched && watches != null && isolation == asked;
        isolation = asked;
        List<FetchPartition> first = new ArrayList<>();
        join(known ? named : partitions.values(), first);
        join(due, first);
        due = new ArrayList<>();
        first.sort(IN_ORDER);
        return new FetchPlan(first, this, watches, others(known, now, rights), incremental, Errors.NONE);
    }

    private static void join(Iterable<FetchPartition> those, List<FetchPartition> into) {
        for (FetchPartition each : those) {
            if (!each.isJoined() && !each.isForgotten()) {
                each.join();
                into.add(each);
            }
        }
    }

    private List<FetchPartition> others(boolean known, long now, long rights) {
        boolean sameRights = rights == lastRights;
        lastRights = rights;
        if (!known) {
            lastLookUp = now;
        }
        if (sameRights && now - lastLookUp < LOOK_UP_AGAIN_MILLIS) {
            return List.of();
        }
        lastLookUp = now;
        return partitions.values().stream().filter(each -> !each.isJoined()).toList();
    }

    private boolean findRoom(FetchWaits waits) {
        int more = size() - room;
        if (more < 0) {
            waits.giveBack(-more);
        } else if (more > 0 && !waits.take(more)) {
            return false;
        }
        room = size();
        return true;
    }

    boolean isWatching() {
        return watches != null;
    }

    /** Leaves nothing behind in any log; the next fetch looks at all partitions. */
    void stopWatching(FetchWaits waits) {
        waits.giveBack(room);
        room = 0;
        if (watches != null) {
            watches.close();
            watches = null;
        }
    }
}
