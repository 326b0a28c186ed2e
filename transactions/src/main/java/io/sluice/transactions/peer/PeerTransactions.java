package io.sluice.transactions.peer;

import io.sluice.broker.cluster.Cluster;
import io.sluice.broker.peer.PeerHandlers;
import io.sluice.broker.peer.PeerKinds;
import io.sluice.broker.peer.Peers;
import io.sluice.broker.topic.Topic;
import io.sluice.store.segment.Containers;
import io.sluice.transactions.LocalTransactions;
import io.sluice.transactions.Marker;
import io.sluice.transactions.Markers.Fate;
import io.sluice.transactions.Participant;
import io.sluice.transactions.RemoteTransactions;
import io.sluice.transactions.TransactionError;
import io.sluice.transactions.TransactionQuestion;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Transactions of other nodes, over the internal protocol. */
public final class PeerTransactions implements RemoteTransactions, AutoCloseable {
    private final UUID sender = UUID.randomUUID();
    private final Cluster cluster;
    private final Peers peers;
    private final RemoteQuestions questions;
    private final Map<Integer, RemoteMarkers> byContainer = new ConcurrentHashMap<>();
    private final Runnable clusterListener = () -> byContainer.values().forEach(RemoteMarkers::ownersChanged);

    public PeerTransactions(Cluster cluster, Peers peers) {
        this.cluster = cluster;
        this.peers = peers;
        this.questions = new RemoteQuestions(cluster, peers, System::nanoTime);
        cluster.onChange(clusterListener);
    }

    /** Answers other nodes from now on. */
    public static void answer(PeerHandlers handlers, LocalTransactions local, Containers containers) {
        handlers.add(PeerKinds.ASK_COORDINATORS, QuestionBodies.WITH_USERS, new QuestionHandler(local));
        handlers.add(PeerKinds.WRITE_MARKERS, 0, new MarkerHandler(local, containers));
    }

    @Override
    public void ask(int container, TransactionQuestion question, Consumer<@Nullable TransactionError> answer) {
        questions.ask(container, question, answer);
    }

    @Override
    public void mark(Participant partition, Topic.Placement at, Marker marker, Consumer<Fate> done) {
        var item = new MarkerRequest.Item(partition, at.segment(), marker);
        byContainer
                .computeIfAbsent(at.container(), id -> new RemoteMarkers(cluster, peers, sender, id))
                .add(new RemoteMarkers.Sending(item, done));
    }

    @Override
    public void close() {
        cluster.offChange(clusterListener);
    }
}
