package io.sluice.pulsar.hub;

import io.sluice.broker.log.Isolation;
import io.sluice.broker.log.PartitionLog;
import io.sluice.pulsar.dispatch.DispatchServices;
import io.sluice.pulsar.dispatch.MigrationRule;
import io.sluice.pulsar.dispatch.PartitionPlace;
import io.sluice.pulsar.dispatch.PartitionRates;
import io.sluice.pulsar.dispatch.SubscriptionRoster;
import io.sluice.pulsar.error.ErrorMapping;
import io.sluice.pulsar.metrics.Traffic;
import io.sluice.pulsar.producer.ProducerRoster;
import io.sluice.pulsar.producer.ProducerSession;
import io.sluice.pulsar.rates.TopicRates;
import io.sluice.store.segment.StoreFailure;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.ToLongFunction;
import org.apache.pulsar.common.api.proto.ServerError;
import org.jspecify.annotations.Nullable;

/**
 * The Pulsar side of one partition for one term of its log: who produces, who is subscribed, and how much there was of it.
 * It comes with the first client and dies with the log, telling everybody to look the topic up again. Loop only.
 */
public final class PartitionHub implements PartitionLog.TailWaiter {
    private final PartitionPlace place;
    private final Consumer<PartitionHub> drop;
    private final ProducerRoster producers;
    private final SubscriptionRoster subscriptions;
    private final Traffic in;
    private final PartitionRates rates;
    private final TopicRates.Source source;

    private final MigrationRule migration;

    private @Nullable StoreFailure closed;
    private volatile boolean migrated;
    private PartitionLog.@Nullable Waiting end;

    /** @param drop told when the hub has ended */
    PartitionHub(PartitionPlace place, DispatchServices services, Consumer<PartitionHub> drop) {
        this.place = place;
        this.drop = drop;
        this.producers = new ProducerRoster(place.log());
        this.in = new Traffic(place.now());
        this.rates = new PartitionRates(place, in);
        this.source = services.rates();
        this.migration = services.migration();
        this.subscriptions = new SubscriptionRoster(place, services, rates);
    }

    /** Once it can be found: from then on it hears of changes. */
    void open() {
        follow();
        followMigration();
        // no offset is this large: only the log's end wakes it
        end = place.log().await(Long.MAX_VALUE - 1, Isolation.COMMITTED, this);
    }

    PartitionLog log() {
        return place.log();
    }

    public SubscriptionRoster subscriptions() {
        return subscriptions;
    }

    /** Answer to {@link #produce}. After {@code queued} one of the others follows when the producer's turn comes. */
    public interface ProduceReply {
        /** {@code topicEpoch} is -1 for a shared producer. */
        void ready(long topicEpoch);

        void queued();

        void refused(ServerError error, String message);
    }

    public void produce(ProducerSession producer, ProduceReply reply) {
        if (closed != null) {
            reply.refused(ErrorMapping.of(closed), closed.message());
            return;
        }
        if (log().isTerminated()) {
            reply.refused(ServerError.TopicTerminatedError, place.topic() + " was already terminated");
            return;
        }
        producers.add(producer, new ProducerRoster.Reply() {
            @Override
            public void ready(ProducerSession p, long topicEpoch) {
                reply.ready(topicEpoch);
            }

            @Override
            public void queued(ProducerSession p) {
                reply.queued();
            }

            @Override
            public void refused(ServerError error, String message) {
                reply.refused(error, message);
            }
        });
    }

    public void remove(ProducerSession producer) {
        producers.remove(producer);
    }

    /** How fast producers and consumers may be. */
    public PartitionRates rates() {
        return rates;
    }

    String topic() {
        return place.topic();
    }

    /** Keeps to the rates that hold by now. */
    void follow() {
        TopicRates now = source.of(place.topic());
        if (!now.equals(rates.rates())) {
            boolean closes = now.bounds().encrypted() && !rates.rates().bounds().encrypted();
            rates.set(now);
            subscriptions.followRates();
            if (closes) {
                disconnectProducers(); // those that encrypt come again
            }
        }
    }

    /** Whether its clients were being sent to another cluster when that was last looked at. Any thread. */
    boolean hasMigrated() {
        return migrated;
    }

    /**
     * Sends clients on to another cluster, if the topic has migrated there: producers now, consumers when they have all there is here. While
     * messages are still to be sent on to third clusters producers come again, so that theirs do not get there first.
     */
    void followMigration() {
        migrated = migration.isMigrated(place.topic());
        if (migrated && ReplicatedBacklog.isThere(log())) {
            producers.disconnect();
        } else if (migrated) {
            producers.migrate();
        }
        subscriptions.migrate(migrated);
    }

    /** Tells every producer, also those that wait for their turn, to come again. */
    public void disconnectProducers() {
        producers.disconnect();
    }

    /** From now on the log knows the producers by the ids that {@code idOf} says for their names. */
    public void deduplicate(ToLongFunction<String> idOf) {
        producers.all().forEach(p -> p.deduplicateAs(idOf.applyAsLong(p.name())));
        producers.waiting().forEach(p -> p.deduplicateAs(idOf.applyAsLong(p.name())));
    }

    public void published(ProducerSession producer, int messages, int bytes) {
        in.add(messages, bytes);
        producer.published(messages, bytes);
        subscriptions.published();
    }

    /** Counts what was published by nobody who has a producer here. */
    public void posted(int messages, int bytes) {
        in.add(messages, bytes);
        subscriptions.published();
    }

    public HubView view() {
        long now = place.now();
        List<ProducerSession.View> writing = new ArrayList<>();
        producers.all().forEach(p -> writing.add(p.view(now)));
        HubView.Flow flow =
                new HubView.Flow(in.view(now), subscriptions.delivered(), subscriptions.deliveredBySubscription());
        return new HubView(flow, writing, subscriptions.views());
    }

    // ---- end

    /** Everybody is told to look the topic up again; the next client finds another hub. */
    public void unload() {
        if (end != null) {
            end.cancel();
        }
        closed(new StoreFailure.NotOwner(log().container().id(), "the topic was unloaded"));
    }

    @Override
    public void moreToRead() {
        throw new IllegalStateException("an offset beyond all others became readable");
    }

    @Override
    public void terminated() {
        subscriptions.terminated();
    }

    @Override
    public void closed(StoreFailure why) {
        closed = why;
        drop.accept(this);
        subscriptions.close(why);
        producers.close();
    }
}
