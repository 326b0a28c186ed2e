package io.sluice.pulsar.replication.subscription;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * One attempt to take a snapshot: each other cluster is asked where it is. With more than one of them all are asked twice: a message that one of
 * them had from another when it answered first is here when the other has answered once more. Pure.
 */
final class SnapshotRound {
    /** Outcome of an answer. */
    enum Next {
        WAIT,
        ASK_AGAIN,
        COMPLETE
    }

    private final Set<String> others;
    private final long startedAt;
    private final long dataEnd;
    private final Set<String> missing;
    private final Map<String, Place> places = new HashMap<>();
    private String id;
    private boolean last;

    /**
     * @param id under which clusters answer
     * @param startedAt milliseconds
     * @param dataEnd one past the last message that was known when it began
     */
    SnapshotRound(String id, Set<String> others, long startedAt, long dataEnd) {
        this.id = id;
        this.others = Set.copyOf(others);
        this.startedAt = startedAt;
        this.dataEnd = dataEnd;
        this.missing = new HashSet<>(others);
        this.last = others.size() == 1;
    }

    String id() {
        return id;
    }

    long startedAt() {
        return startedAt;
    }

    long dataEnd() {
        return dataEnd;
    }

    /**
     * A cluster has answered; its first place counts.
     *
     * @param nextId under which it goes on, if all are asked again: a late answer of the first time is none of the second
     */
    Next answered(String cluster, Place place, String nextId) {
        if (!missing.remove(cluster)) {
            return Next.WAIT;
        }
        places.putIfAbsent(cluster, place);
        if (!missing.isEmpty()) {
            return Next.WAIT;
        }
        if (last) {
            return Next.COMPLETE;
        }
        last = true;
        id = nextId;
        missing.addAll(others);
        return Next.ASK_AGAIN;
    }

    Map<String, Place> places() {
        return places;
    }
}
