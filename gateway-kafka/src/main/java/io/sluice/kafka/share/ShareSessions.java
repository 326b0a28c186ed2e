package io.sluice.kafka.share;

import io.sluice.kafka.api.ClientConnection;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.ShareRequestMetadata;
import org.jspecify.annotations.Nullable;

/** Share sessions of all members with this node. A member has one; its requests count up the session's epoch. Any thread. */
final class ShareSessions {
    private final int most;
    /** Partitions that all sessions may have. */
    private final int mostPartitions;

    private final Map<ShareSession.Key, ShareSession> sessions = new HashMap<>();
    private int partitions;

    ShareSessions(int most, int mostPartitions) {
        this.most = most;
        this.mostPartitions = mostPartitions;
    }

    /**
     * Session of a request, or why there is none.
     *
     * @param ended a session that ends by this request: what its member has in hand is to be given back
     * @param places to be fetched from, in order
     */
    record Begun(
            Errors error,
            @Nullable ShareSession session,
            @Nullable ShareSession ended,
            List<ShareSession.Place> places) {
        static Begun refused(Errors error) {
            return new Begun(error, null, null, List.of());
        }
    }

    /** Begins a fetch: of epoch 0 it opens a session, of -1 it closes one. */
    synchronized Begun fetch(
            ShareSession.Key key,
            int epoch,
            ClientConnection connection,
            Collection<ShareSession.Place> named,
            Collection<ShareSession.Place> forgotten) {
        if (epoch == ShareRequestMetadata.INITIAL_EPOCH) {
            return open(key, connection, named);
        }
        Begun begun = acknowledge(key, epoch);
        ShareSession session = begun.session();
        if (session == null || begun.ended() != null) {
            return begun;
        }
        int before = session.size();
        session.add(named);
        session.remove(forgotten);
        partitions += session.size() - before;
        if (partitions > mostPartitions) {
            drop(session);
            return Begun.refused(Errors.SHARE_SESSION_NOT_FOUND);
        }
        return new Begun(Errors.NONE, session, null, session.inTurn());
    }

    private Begun open(ShareSession.Key key, ClientConnection connection, Collection<ShareSession.Place> named) {
        ShareSession before = sessions.get(key);
        if (before != null) {
            drop(before);
        }
        if (sessions.size() >= most || partitions + named.size() > mostPartitions) {
            return Begun.refused(Errors.SHARE_SESSION_LIMIT_REACHED);
        }
        ShareSession session = new ShareSession(key, connection);
        session.add(named);
        if (before != null) {
            before.touched().forEach(session::touch); // the member still has in hand what it had
        }
        sessions.put(key, session);
        partitions += session.size();
        return new Begun(Errors.NONE, session, null, session.inTurn());
    }

    /** Begins a request that only acknowledges; of epoch -1 it closes the session. */
    synchronized Begun acknowledge(ShareSession.Key key, int epoch) {
        ShareSession session = sessions.get(key);
        if (session == null) {
            return Begun.refused(Errors.SHARE_SESSION_NOT_FOUND);
        }
        if (epoch == ShareRequestMetadata.FINAL_EPOCH) {
            drop(session);
            return new Begun(Errors.NONE, session, session, List.of());
        }
        if (epoch != session.epoch()) {
            return Begun.refused(Errors.INVALID_SHARE_SESSION_EPOCH);
        }
        session.advance();
        return new Begun(Errors.NONE, session, null, List.of());
    }

    private void drop(ShareSession session) {
        if (sessions.remove(session.key(), session)) {
            partitions -= session.size();
        }
    }

    /** Ends the sessions of clients that have left, and gives them back. */
    synchronized List<ShareSession> takeLeft() {
        List<ShareSession> left = new ArrayList<>(0);
        for (ShareSession each : sessions.values()) {
            if (!each.isConnected()) {
                left.add(each);
            }
        }
        left.forEach(this::drop);
        return left;
    }

    synchronized int size() {
        return sessions.size();
    }
}
