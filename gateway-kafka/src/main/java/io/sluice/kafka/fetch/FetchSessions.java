package io.sluice.kafka.fetch;

import io.sluice.broker.log.Isolation;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BooleanSupplier;
import java.util.function.IntSupplier;
import java.util.function.LongSupplier;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.FetchMetadata;
import org.jspecify.annotations.Nullable;

/**
 * The fetch sessions of all clients, bounded in number and in partitions. When full, the session that was not used for the
 * longest time makes room if it is stale; else the newcomer goes without a session, which always works. Thread-safe.
 */
public final class FetchSessions {
    /** A session unused for this long may be dropped for another. */
    private static final long STALE_MILLIS = 120_000;

    private static final int FIRST_WITH_SESSIONS = 7;
    private static final int FIRST_WITH_TOPIC_IDS = 13;

    private final int maxSessions;
    private final long maxPartitions;
    private final LongSupplier clock;
    private final IntSupplier ids;
    private final FetchWaits waits;
    private final LongSupplier rights;
    private final Map<Integer, FetchSession> sessions = new LinkedHashMap<>(16, 0.75f, true);
    private long partitions;
    private final LongAdder examined = new LongAdder();

    /**
     * @param clock milliseconds
     * @param ids random positive numbers, so that a client cannot hit upon another's session
     * @param waits gives room for the watches of sessions; one that gets none looks at all of its partitions in each fetch
     * @param rights version of clients' rights; any thread
     */
    public FetchSessions(
            int maxSessions,
            long maxPartitions,
            LongSupplier clock,
            IntSupplier ids,
            FetchWaits waits,
            LongSupplier rights) {
        this.maxSessions = maxSessions;
        this.maxPartitions = maxPartitions;
        this.clock = clock;
        this.ids = ids;
        this.waits = waits;
        this.rights = rights;
    }

    /**
     * Begins a fetch; {@link #end} must follow.
     *
     * @param connected whether the client that asks is still there
     */
    public synchronized FetchPlan begin(
            FetchRequestData request, short version, Isolation isolation, BooleanSupplier connected) {
        boolean topicIds = version >= FIRST_WITH_TOPIC_IDS;
        int id = version < FIRST_WITH_SESSIONS ? FetchMetadata.INVALID_SESSION_ID : request.sessionId();
        int epoch = version < FIRST_WITH_SESSIONS ? FetchMetadata.FINAL_EPOCH : request.sessionEpoch();
        boolean full = epoch == FetchMetadata.INITIAL_EPOCH || epoch == FetchMetadata.FINAL_EPOCH;
        if (!full) {
            return incremental(request, id, epoch, topicIds, isolation, connected);
        }
        FetchSession old = sessions.get(id);
        if (old != null) {
            drop(old);
        }
        FetchSession asked = new FetchSession(0, topicIds);
        asked.update(request);
        FetchSession kept = epoch == FetchMetadata.INITIAL_EPOCH ? keep(request, topicIds, asked.size()) : null;
        if (kept == null) {
            List<FetchPartition> all = asked.inOrder();
            all.forEach(FetchPartition::join);
            return FetchPlan.alone(all, false);
        }
        long now = clock.getAsLong();
        kept.begin(now, connected);
        return kept.plan(List.of(), isolation, false, waits, now, rights.getAsLong());
    }

    private FetchPlan incremental(
            FetchRequestData request,
            int id,
            int epoch,
            boolean topicIds,
            Isolation isolation,
            BooleanSupplier connected) {
        FetchSession session = sessions.get(id);
        if (session == null) {
            return FetchPlan.refused(Errors.FETCH_SESSION_ID_NOT_FOUND);
        }
        if (session.isBusy() || session.expectedEpoch() != epoch) {
            return FetchPlan.refused(Errors.INVALID_FETCH_SESSION_EPOCH);
        }
        if (session.usesTopicIds() != topicIds) {
            return FetchPlan.refused(Errors.FETCH_SESSION_TOPIC_ID_ERROR);
        }
        int before = session.size();
        List<FetchPartition> named = session.update(request);
        partitions += session.size() - before;
        if (session.size() == 0) {
            drop(session);
            return FetchPlan.alone(List.of(), true);
        }
        long now = clock.getAsLong();
        session.begin(now, connected);
        if (partitions > maxPartitions) {
            // Grown past the bound: the client is told to begin anew, and then goes without a session.
            drop(session);
            return FetchPlan.refused(Errors.FETCH_SESSION_ID_NOT_FOUND);
        }
        return session.plan(named, isolation, true, waits, now, rights.getAsLong());
    }

    private @Nullable FetchSession keep(FetchRequestData request, boolean topicIds, int size) {
        if (size == 0 || !makeRoom(size)) {
            return null;
        }
        int id = ids.getAsInt();
        while (id <= 0 || sessions.containsKey(id)) {
            id = ids.getAsInt();
        }
        FetchSession session = new FetchSession(id, topicIds);
        session.update(request);
        sessions.put(id, session);
        partitions += session.size();
        return session;
    }

    private boolean makeRoom(int size) {
        while (sessions.size() >= maxSessions || partitions + size > maxPartitions) {
            FetchSession eldest =
                    sessions.isEmpty() ? null : sessions.values().iterator().next();
            if (eldest == null || eldest.isBusy() || clock.getAsLong() - eldest.lastUsed() <= STALE_MILLIS) {
                return false;
            }
            drop(eldest);
        }
        return true;
    }

    private void drop(FetchSession session) {
        if (sessions.remove(session.id()) != null) {
            partitions -= session.size();
        }
        session.stopWatching(waits);
    }

    /**
     * The fetch is answered; what it found is released already.
     *
     * @param lookedAt its partitions
     */
    public synchronized void end(FetchPlan plan, List<FetchPartition> lookedAt) {
        FetchSession session = plan.session();
        if (session != null) {
            session.end(lookedAt);
            stopIfLeft(session);
        }
    }

    /** Lets sessions watch no more whose clients have left, or have not asked for long: to be called every now and then. */
    public synchronized void sweep() {
        sessions.values().forEach(this::stopIfLeft);
    }

    private void stopIfLeft(FetchSession session) {
        boolean left = !session.isConnected() || clock.getAsLong() - session.lastUsed() > STALE_MILLIS;
        if (left && session.isWatching() && !session.isBusy()) {
            session.stopWatching(waits);
        }
    }

    /** Puts partitions that gave data last in their session. */
    synchronized void rotate(FetchSession session, Iterable<FetchPartition> gaveData) {
        gaveData.forEach(session::moveToEnd);
    }

    /** Counts partitions that a fetch has looked at. Any thread. */
    void examined(int more) {
        examined.add(more);
    }

    /** Partitions that fetches have looked at, each as often as it was. Any thread. */
    public long examined() {
        return examined.sum();
    }

    public synchronized int size() {
        return sessions.size();
    }
}
