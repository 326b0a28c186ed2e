package io.sluice.pulsar.replication.subscription;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.sluice.broker.entry.ClusterMarker;
import io.sluice.broker.log.AppendRejection;
import io.sluice.broker.log.AppendReply;
import io.sluice.broker.log.Isolation;
import io.sluice.broker.log.PartitionLog;
import io.sluice.broker.subscription.Cursor;
import io.sluice.broker.subscription.Subscriptions;
import io.sluice.pulsar.dispatch.MarkerListener;
import io.sluice.pulsar.dispatch.ReplicatedFlag;
import io.sluice.pulsar.dispatch.Subscription;
import io.sluice.pulsar.hub.Hubs;
import io.sluice.pulsar.hub.PartitionHub;
import io.sluice.store.segment.Durable;
import io.sluice.store.segment.LoopTask;
import io.sluice.store.segment.StoreFailure;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Replicated subscriptions of one partition, for one term of its log: does what {@link SubscriptionSync} decides. Replicators, which read the whole
 * log, tell it of messages and of the markers of their clusters. Nothing in it lasts: what a restart forgets is asked for again.
 */
public final class ReplicatedSubscriptions implements MarkerListener {
    private static final Logger LOG = LoggerFactory.getLogger(ReplicatedSubscriptions.class);

    private final PartitionLog log;
    private final String own;
    private final Hubs hubs;
    private final SubscriptionSync sync;
    /** One past the last message that a replicator has read, or where it has begun; -1 before the first has. */
    private final AtomicLong dataEnd = new AtomicLong(-1);

    /** @param own name of the server's own cluster */
    public ReplicatedSubscriptions(PartitionLog log, String own, Hubs hubs) {
        this.log = log;
        this.own = own;
        this.hubs = hubs;
        this.sync = new SubscriptionSync(own, () -> UUID.randomUUID().toString());
    }

    /** A replicator has come to {@code end}; before it there may be a message. Any thread. */
    public void dataUpTo(long end) {
        dataEnd.accumulateAndGet(end, Math::max);
    }

    /**
     * A replicator has read a marker of the cluster to which it sends. Any thread; of one replicator in their order.
     *
     * @param content on the heap, not released
     * @param offset of the marker
     */
    public void received(String from, ByteBuf content, long offset) {
        Marker marker = SubscriptionMarkers.read(content);
        long end = dataEnd.get();
        if (marker != null) {
            // if the container stops first, another node reads the marker, or the other cluster asks again
            log.container().execute(LoopTask.of(() -> received(from, marker, offset, end)));
        }
    }

    private void received(String from, Marker marker, long offset, long end) {
        if (log.isGone()) {
            return;
        }
        Place here = new Place(log.ledgerAt(offset), offset);
        switch (marker) {
            case Marker.Request request -> write(sync.asked(request, from, here));
            case Marker.Response response -> {
                Marker next = sync.answered(response, from, here, end);
                if (next != null) {
                    write(next);
                }
            }
            case Marker.Update update -> update(update);
            case Marker.Taken _ -> {}
        }
    }

    /**
     * Tells other clusters what was acknowledged, and takes a snapshot if there are messages since the last one. On the loop.
     *
     * @param others clusters to which the partition is replicated; none if one of them is not reached
     */
    public void tick(Set<String> others) {
        if (log.isGone()) {
            return;
        }
        PartitionHub hub = hubs.find(log);
        if (hub != null) {
            hub.subscriptions().listen(this);
        }
        Map<String, Long> acked = new HashMap<>();
        for (Cursor cursor : log.subscriptions().all()) {
            if (ReplicatedFlag.isSet(cursor.properties())) {
                acked.put(cursor.name(), cursor.ackedBelow());
            }
        }
        sync.tick(log.container().now(), dataEnd.get(), others, acked).forEach(this::write);
    }

    @Override
    public void passed(ByteBuf content) {
        if (SubscriptionMarkers.read(content) instanceof Marker.Taken taken) {
            sync.found(taken);
        }
    }

    // ---- moving what another cluster has moved

    private void update(Marker.Update update) {
        Place place = update.places().get(own);
        String name = update.subscription();
        if (place == null || !isHere(place) || name.isEmpty() || Subscriptions.isInternal(name)) {
            return;
        }
        long end = place.entry() + 1;
        Cursor cursor = log.subscriptions().find(name);
        Subscription connected = connected(name);
        if (cursor == null) {
            if (connected == null) {
                make(name, end);
            }
        } else if (cursor.ackedBelow() < end) {
            if (connected != null) {
                connected.passOver(end);
            } else {
                cursor.ackUpTo(end - 1, Durable.IGNORED);
            }
            sync.followed(name, cursor.ackedBelow());
        }
    }

    /** A place that was in this log once: one of a topic of the same name that was deleted says nothing. */
    private boolean isHere(Place place) {
        return place.entry() >= 0
                && place.entry() < log.readableEnd(Isolation.COMMITTED)
                && log.ledgerAt(place.entry()) == place.ledger();
    }

    private @Nullable Subscription connected(String name) {
        PartitionHub hub = hubs.find(log);
        return hub == null ? null : hub.subscriptions().connected(name);
    }

    private void make(String name, long start) {
        Map<String, String> properties = ReplicatedFlag.set(Map.of());
        String why = log.subscriptions().whyNot(name, properties);
        if (why != null) {
            LOG.warn("Subscription {} of another cluster is not made here: {}", name, why);
            return;
        }
        log.subscriptions().create(name, start, properties, Durable.IGNORED);
        sync.followed(name, start);
    }

    // ---- markers of this cluster

    private void write(Marker marker) {
        if (log.isTerminated()) {
            return;
        }
        log.container().executeAppend(LoopTask.of(() -> {
            ByteBuf content = SubscriptionMarkers.content(marker);
            log.append(
                    ClusterMarker.entry(
                            PooledByteBufAllocator.DEFAULT,
                            content,
                            log.container().now()),
                    new Written(marker));
        }));
    }

    /** A request or an answer that is lost is asked for once more. */
    private final class Written implements AppendReply {
        private final Marker marker;

        Written(Marker marker) {
            this.marker = marker;
        }

        @Override
        public void appended(long baseOffset, long lastOffset) {
            // its way begins
        }

        @Override
        public void duplicate(long baseOffset, long lastOffset) {
            throw new IllegalStateException("a marker has no producer");
        }

        @Override
        public void rejected(AppendRejection why) {
            lost();
        }

        @Override
        public void failed(StoreFailure why) {
            lost();
        }

        private void lost() {
            if (marker instanceof Marker.Update update && log.container().onLoop()) {
                sync.lost(update);
            }
        }
    }
}
