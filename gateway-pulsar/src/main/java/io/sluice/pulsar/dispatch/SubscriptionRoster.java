package io.sluice.pulsar.dispatch;

import io.sluice.broker.log.Entries;
import io.sluice.broker.log.EntriesReply;
import io.sluice.broker.log.Isolation;
import io.sluice.broker.log.PartitionLog;
import io.sluice.broker.subscription.Cursor;
import io.sluice.broker.subscription.Subscriptions;
import io.sluice.broker.subscription.VolatileCursor;
import io.sluice.pulsar.error.ErrorMapping;
import io.sluice.pulsar.metrics.Traffic;
import io.sluice.store.segment.Durable;
import io.sluice.store.segment.StoreFailure;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.pulsar.common.api.proto.CommandSubscribe.SubType;
import org.apache.pulsar.common.api.proto.ServerError;
import org.jspecify.annotations.Nullable;

/**
 * The subscriptions of a partition that have consumers, or wait for a reader to come back after a seek. A durable one without consumers
 * lives on in its cursor alone. Loop only.
 */
public final class SubscriptionRoster {
    /** How long a reader's subscription waits for it to come back after a seek. */
    private static final long SEEK_GRACE_MILLIS = 60_000;

    /** Subscriptions in use, readers included. */
    private static final int MAX_OPEN = 10_000;

    private final DispatchContext context;
    private final PartitionLog log;
    private final Map<String, Subscription> byName = new HashMap<>();
    private @Nullable StoreFailure closed;

    public SubscriptionRoster(PartitionPlace place, DispatchServices services, PartitionRates rates) {
        this.context = new DispatchContext(place, services, rates, new DelayIndexListener());
        this.log = place.log();
    }

    /** Refused if the next message is damaged: there is no other way to tell a client of it. */
    public void subscribe(SubscribeRequest request, Consumer consumer, SubscribeReply reply) {
        Subscription there = byName.get(request.name());
        Cursor cursor = there == null ? log.subscriptions().find(request.name()) : there.cursor;
        long next = cursor == null ? request.startIn(log) : cursor.nextFree(cursor.ackedBelow());
        long at = Math.max(next, log.startOffset());
        if (at >= log.readableEnd(Isolation.COMMITTED)
                || request.readCompacted() && next < log.view().horizon()) {
            join(request, consumer, reply);
            return;
        }
        log.read(at, 1, Isolation.COMMITTED, new EntriesReply() {
            @Override
            public void entries(Entries entries) {
                entries.bytes().release();
                join(request, consumer, reply);
            }

            @Override
            public void atEnd() {
                join(request, consumer, reply);
            }

            @Override
            public void outOfRange(long startOffset, long endOffset) {
                join(request, consumer, reply);
            }

            @Override
            public void failed(StoreFailure why) {
                reply.refused(ErrorMapping.of(why), why.message());
            }
        });
    }

    private void join(SubscribeRequest request, Consumer consumer, SubscribeReply reply) {
        if (closed != null) {
            reply.refused(ErrorMapping.of(closed), closed.message());
            return;
        }
        Subscription s = byName.get(request.name());
        if (s != null && s.isIdle() && !matches(s, request)) {
            s.grace().end();
            byName.remove(request.name());
            s = null;
        }
        if (s != null && s.durable != request.durable()) {
            reply.refused(ServerError.NotAllowedError, "the subscription is in use with another durability");
            return;
        }
        if (s != null && !matches(s, request)) {
            reply.refused(ServerError.ConsumerBusy, "the subscription is in use with another type: " + s.type());
            return;
        }
        String full = s == null ? whyNotOpen(request) : null;
        if (full != null) {
            reply.refused(ServerError.NotAllowedError, full);
            return;
        }
        boolean makes = s == null && request.durable() && log.subscriptions().find(request.name()) == null;
        if (makes && !reply.makesSubscription()) {
            return;
        }
        Joining joining = new Joining(consumer, reply);
        AckReceipt created = new AckReceipt(joining);
        Subscription joined = s == null ? open(request, created.one()) : s;
        flag(joined.cursor, request);
        joining.joined = joined;
        String refused = joined.add(consumer);
        if (refused == null) {
            created.complete();
            return;
        }
        reply.refused(refusal(request), refused);
        if (joined.isIdle()) {
            idle(joined, false);
        }
    }

    /** A consumer can have it replicated, not end that; as in Pulsar. */
    private static void flag(Cursor cursor, SubscribeRequest request) {
        if (ReplicatedFlag.isSet(request.properties()) && !ReplicatedFlag.isSet(cursor.properties())) {
            Map<String, String> properties = ReplicatedFlag.set(cursor.properties());
            if (Subscriptions.tooLarge(cursor.name(), properties) == null) {
                cursor.describe(properties, Durable.IGNORED);
            }
        }
    }

    /** Answers when the subscription that the consumer has joined is durable. */
    private static final class Joining implements AckReceipt.Done {
        private final Consumer consumer;
        private final SubscribeReply reply;
        private @Nullable Subscription joined;

        Joining(Consumer consumer, SubscribeReply reply) {
            this.consumer = consumer;
            this.reply = reply;
        }

        @Override
        public void done(@Nullable StoreFailure why) {
            if (why != null) {
                reply.refused(ErrorMapping.of(why), why.message());
            } else if (joined == null || !consumer.isSubscribed()) {
                reply.refused(ServerError.ServiceNotReady, "the subscription was closed meanwhile");
            } else {
                reply.subscribed(joined);
                joined.answered(consumer);
            }
        }
    }

    private @Nullable String whyNotOpen(SubscribeRequest request) {
        if (request.durable()) {
            return log.subscriptions().whyNot(request.name(), request.properties());
        }
        return byName.size() < MAX_OPEN ? null : "a partition has at most " + MAX_OPEN + " subscriptions in use";
    }

    private static ServerError refusal(SubscribeRequest request) {
        return request.type() == SubType.Key_Shared ? ServerError.ConsumerAssignError : ServerError.ConsumerBusy;
    }

    private static boolean matches(Subscription s, SubscribeRequest request) {
        if (s.durable != request.durable()) {
            return false;
        }
        return s.type().equals(request.type().name())
                && (!(s instanceof MultipleConsumers shared) || shared.isSticky() == isSticky(request));
    }

    private static boolean isSticky(SubscribeRequest request) {
        return request.type() == SubType.Key_Shared && request.sticky();
    }

    /** The subscription with its cursor; {@code created} is called once either way. */
    private Subscription open(SubscribeRequest request, Durable created) {
        Cursor cursor = cursorOf(request, created);
        Subscription.Setup setup = new Subscription.Setup(context, cursor, request.durable(), this::idle);
        Subscription s = switch (request.type()) {
            case Exclusive -> new SingleActiveConsumer(setup, false);
            case Failover -> new SingleActiveConsumer(setup, true);
            case Shared -> new MultipleConsumers(setup, null, false);
            case Key_Shared ->
                new MultipleConsumers(
                        setup, request.sticky() ? new StickyHashes() : new ConsistentHashes(), !request.outOfOrder());
        };
        byName.put(request.name(), s);
        return s;
    }

    private Cursor cursorOf(SubscribeRequest request, Durable created) {
        Cursor known = request.durable() ? log.subscriptions().find(request.name()) : null;
        if (request.durable() && known == null) {
            return log.subscriptions().create(request.name(), request.startIn(log), request.properties(), created);
        }
        created.durable();
        return known != null ? known : new VolatileCursor(request.name(), request.startIn(log), request.properties());
    }

    /** Deletes the durable subscription; its consumers are told to come again, and find that it is gone. */
    public void unsubscribe(String name, Durable done) {
        Subscription s = byName.get(name);
        if (s != null) {
            s.disconnectAll(false);
            byName.remove(name);
        }
        if (log.subscriptions().find(name) == null) {
            done.durable();
        } else {
            CompactedReads.deleteSubscription(log, name, done);
        }
        context.traffic().forget(name);
    }

    /** Null if it has no consumer. */
    public @Nullable Subscription connected(String name) {
        return byName.get(name);
    }

    private void idle(Subscription s, boolean comingBack) {
        if (s.durable || !comingBack) {
            forget(s);
            return;
        }
        s.grace().begin(SEEK_GRACE_MILLIS, () -> forget(s));
    }

    private void forget(Subscription s) {
        s.grace().end();
        if (byName.remove(s.name(), s) && !s.durable) {
            context.traffic().forget(s.name());
        }
    }

    /** Traffic to all consumers there have been. */
    public Traffic.View delivered() {
        return context.traffic().view(context.place().now());
    }

    /** Messages of a durable subscription have expired, or none were old enough. */
    public void expired(String subscription, long messages) {
        long now = context.place().now();
        context.traffic().of(subscription, now).expired(messages, now);
    }

    /** Traffic to each subscription that still exists. */
    public Map<String, SubscriptionTraffic.View> deliveredBySubscription() {
        return context.traffic().viewBySubscription(context.place().now());
    }

    public List<SubscriptionView> views() {
        return byName.values().stream().map(Subscription::view).toList();
    }

    /** All subscriptions, as the index of delayed entries tells them. */
    private final class DelayIndexListener implements DelayIndex.Listener {
        @Override
        public void due(long base, int offsets) {
            byName.values().forEach(each -> each.due(base, offsets));
        }

        @Override
        public void readOn() {
            List.copyOf(byName.values()).forEach(Subscription::pump);
        }

        @Override
        public void readAgain() {
            byName.values().forEach(each -> each.readAgainFrom(each.cursor.ackedBelow()));
        }
    }

    /** Tells the listener, and no other, of markers that are passed over from now on. */
    public void listen(MarkerListener listener) {
        context.markers().listen(listener);
    }

    /** Messages were published. */
    public void published() {
        context.delayIndex().follow();
    }

    /** The partition's rates have changed. */
    public void followRates() {
        List.copyOf(byName.values()).forEach(Subscription::followRates);
    }

    /** Consumers go on at another cluster when they have all there is here, or stay. */
    public void migrate(boolean away) {
        context.end().setMigrated(away);
        if (away) {
            List.copyOf(byName.values()).forEach(Subscription::tellOfEnd);
        }
    }

    /** The partition was terminated. */
    public void terminated() {
        List.copyOf(byName.values()).forEach(Subscription::tellOfEnd);
    }

    /** The partition is no longer served here: everybody looks it up again, also whoever comes later. */
    public void close(StoreFailure why) {
        closed = why;
        context.delayIndex().close();
        List.copyOf(byName.values()).forEach(Subscription::close);
        byName.clear();
    }
}
