package io.sluice.kafka.fetch;

import java.util.LinkedHashMap;
import java.util.Map;
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
    private final Map<Integer, FetchSession> sessions = new LinkedHashMap<>(16, 0.75f, true);
    private long partitions;

    /**
     * @param clock milliseconds
     * @param ids random positive numbers, so that a client cannot hit upon another's session
     */
    public FetchSessions(int maxSessions, long maxPartitions, LongSupplier clock, IntSupplier ids) {
        this.maxSessions = maxSessions;
        this.maxPartitions = maxPartitions;
        this.clock = clock;
        this.ids = ids;
    }

    /** Begins a fetch; {@link #end} must follow. */
    public synchronized FetchPlan begin(FetchRequestData request, short version) {
        boolean topicIds = version >= FIRST_WITH_TOPIC_IDS;
        int id = version < FIRST_WITH_SESSIONS ? FetchMetadata.INVALID_SESSION_ID : request.sessionId();
        int epoch = version < FIRST_WITH_SESSIONS ? FetchMetadata.FINAL_EPOCH : request.sessionEpoch();
        boolean full = epoch == FetchMetadata.INITIAL_EPOCH || epoch == FetchMetadata.FINAL_EPOCH;
        if (!full) {
            return incremental(request, id, epoch, topicIds);
        }
        FetchSession old = sessions.get(id);
        if (old != null) {
            drop(old);
        }
        FetchSession asked = new FetchSession(0, topicIds);
        asked.update(request);
        FetchSession kept = epoch == FetchMetadata.INITIAL_EPOCH ? keep(request, topicIds, asked.size()) : null;
        FetchSession source = kept == null ? asked : kept;
        return new FetchPlan(source.inOrder(), kept, false, Errors.NONE);
    }

    private FetchPlan incremental(FetchRequestData request, int id, int epoch, boolean topicIds) {
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
        session.update(request);
        partitions += session.size() - before;
        if (session.size() == 0) {
            drop(session);
            return new FetchPlan(session.inOrder(), null, true, Errors.NONE);
        }
        session.begin(clock.getAsLong());
        if (partitions > maxPartitions) {
            // Grown past the bound: the client is told to begin anew, and then goes without a session.
            drop(session);
            return FetchPlan.refused(Errors.FETCH_SESSION_ID_NOT_FOUND);
        }
        return new FetchPlan(session.inOrder(), session, true, Errors.NONE);
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
        session.begin(clock.getAsLong());
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
    }

    /** The fetch is answered; what it found is released already. */
    public synchronized void end(FetchPlan plan) {
        if (plan.session() != null) {
            plan.session().end();
        }
    }

    /** Puts partitions that gave data last in their session. */
    synchronized void rotate(FetchSession session, Iterable<FetchPartition> gaveData) {
        gaveData.forEach(session::moveToEnd);
    }

    public synchronized int size() {
        return sessions.size();
    }
}
