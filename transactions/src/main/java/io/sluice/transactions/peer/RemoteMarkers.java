package io.sluice.transactions.peer;

import io.sluice.broker.cluster.Cluster;
import io.sluice.broker.cluster.ClusterNode;
import io.sluice.broker.peer.PeerException;
import io.sluice.broker.peer.PeerKinds;
import io.sluice.broker.peer.PeerQuestion;
import io.sluice.broker.peer.Peers;
import io.sluice.store.segment.StoreException;
import io.sluice.transactions.Markers.Fate;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends markers for the partitions of one container to the node that serves it, one request after the other. What fails is not sent
 * again by this, but by the transaction that wants it, after a pause.
 *
 * <p>A request whose answer did not come may still be carried out. The next one has a higher number, after which the node takes no earlier
 * one ({@link MarkerHandler}).
 */
final class RemoteMarkers implements Batches.Sender<RemoteMarkers.Sending> {
    private static final Logger LOG = LoggerFactory.getLogger(RemoteMarkers.class);

    static final Batches.Limits LIMITS = new Batches.Limits(50_000, 1 << 20, 1);

    /** Longer than an append waits while the store is full. */
    static final Duration PATIENCE = Duration.ofSeconds(15);

    private final Cluster cluster;
    private final Peers peers;
    private final UUID sender;
    private final int container;
    private final Batches<Sending> batches;

    /** As the node that serves the container says. Of the request that is under way, as is {@link #number}. */
    private long term;

    private long number;
    private volatile @Nullable UnderWay underWay;

    record Sending(MarkerRequest.Item item, Consumer<Fate> done) {}

    private record UnderWay(int node, CompletableFuture<byte[]> answer) {}

    /** @param sender this process */
    RemoteMarkers(Cluster cluster, Peers peers, UUID sender, int container) {
        this.cluster = cluster;
        this.peers = peers;
        this.sender = sender;
        this.container = container;
        this.batches = new Batches<>(LIMITS, this);
    }

    void add(Sending marker) {
        if (!batches.add(marker)) {
            marker.done.accept(Fate.UNKNOWN);
        }
    }

    /** Gives up what a node is asked that does not serve the container any more. */
    void ownersChanged() {
        UnderWay now = underWay;
        if (now != null && !isOwner(now.node)) {
            now.answer.cancel(false);
        }
    }

    private boolean isOwner(int node) {
        ClusterNode owner = cluster.ownerOf(container);
        return owner != null && owner.id() == node;
    }

    @Override
    public int bytes(Sending marker) {
        return marker.item.most();
    }

    @Override
    public void send(List<Sending> batch, Runnable done) {
        send(batch, true, done);
    }

    private void send(List<Sending> batch, boolean mayLearnTerm, Runnable done) {
        ClusterNode owner = cluster.ownerOf(container);
        if (owner == null || cluster.isSelf(owner)) {
            finish(batch, null, done);
            return;
        }
        List<MarkerRequest.Item> items = batch.stream().map(Sending::item).toList();
        byte[] body = new MarkerRequest(sender, container, term, ++number, items).encode();
        CompletableFuture<byte[]> asked =
                peers.ask(owner.id(), new PeerQuestion(PeerKinds.WRITE_MARKERS, (short) 0, body), PATIENCE);
        underWay = new UnderWay(owner.id(), asked);
        asked.thenApply(answer -> read(answer, batch.size())).whenComplete((answer, failure) -> {
            underWay = null;
            if (failure != null) {
                tell(owner.id(), failure);
                finish(batch, null, done);
            } else if (answer.fates() == null && answer.term() != term && mayLearnTerm) {
                term = answer.term();
                send(batch, false, done);
            } else {
                finish(batch, answer.fates(), done);
            }
        });
    }

    private static MarkerAnswer read(byte[] body, int expected) {
        MarkerAnswer answer = MarkerAnswer.decode(body);
        if (answer.fates() != null && answer.fates().size() != expected) {
            throw new IllegalArgumentException(answer.fates().size() + " fates of " + expected + " markers");
        }
        return answer;
    }

    private static void finish(List<Sending> batch, @Nullable List<Fate> fates, Runnable done) {
        for (int i = 0; i < batch.size(); i++) {
            batch.get(i).done.accept(fates == null ? Fate.UNKNOWN : fates.get(i));
        }
        done.run();
    }

    private static void tell(int node, Throwable failure) {
        Throwable why = StoreException.causeOf(failure);
        if (!(why instanceof PeerException) && !(why instanceof CancellationException)) {
            LOG.warn("Node {} answered markers with what cannot be used", node, failure);
        } else {
            LOG.debug("Node {} was told of no outcome: {}", node, why.toString());
        }
    }
}
