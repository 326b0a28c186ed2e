package io.sluice.pulsar.nonpersistent;

import io.netty.buffer.ByteBufAllocator;
import io.sluice.broker.rate.RateBucket;
import io.sluice.broker.topic.PulsarNames;
import io.sluice.pulsar.dispatch.Consumer;
import io.sluice.pulsar.dispatch.ConsumerView;
import io.sluice.pulsar.dispatch.NonPersistentMessage;
import io.sluice.pulsar.dispatch.NonPersistentSubscription;
import io.sluice.pulsar.dispatch.SubscribeRequest;
import io.sluice.pulsar.metrics.PulsarMeters;
import io.sluice.pulsar.metrics.Traffic;
import io.sluice.pulsar.producer.ProducerRoster;
import io.sluice.pulsar.producer.ProducerSession;
import io.sluice.pulsar.rates.PublishPace;
import io.sluice.pulsar.rates.SharedBucket;
import io.sluice.pulsar.rates.TopicBounds;
import io.sluice.pulsar.rates.TopicRates;
import io.sluice.pulsar.wire.MessageFrames;
import io.sluice.store.segment.Durable;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.pulsar.common.api.proto.ServerError;
import org.jspecify.annotations.Nullable;

/**
 * A topic, or a partition of one, whose messages are kept nowhere: {@link #publish} hands a message to each subscription before it returns.
 * There is no queue, so nothing grows when a consumer is slow; what waits for its connection is bounded there.
 *
 * <p>Any thread. A lock, and not a loop, so that a message goes from its producer's event loop to its consumers' without one more hop. It is
 * held as long as one message takes to reach the queues of the consumers that get it.
 */
public final class NonPersistentTopic implements PublishPace {
    /** Subscriptions, readers' included, as many as a partition that is kept may have in use. */
    private static final int MAX_SUBSCRIPTIONS = 10_000;

    private static final int MAX_CONSUMERS = 10_000;

    private final PulsarNames.Parsed name;
    private final ByteBufAllocator allocator;
    private final MessageFrames frames;
    private final PulsarMeters meters;
    private final ProducerRoster producers = new ProducerRoster(new EpochsInMemory());
    private final Map<String, NonPersistentSubscription> subscriptions = new LinkedHashMap<>();
    private final Traffic in = new Traffic(System.currentTimeMillis());
    private volatile TopicRates rates;
    private @Nullable RateBucket publish;
    private int consumers;
    private boolean closed;
    /** When it was last seen with a client, in milliseconds since the epoch. */
    private long usedAt = System.currentTimeMillis();

    NonPersistentTopic(PulsarNames.Parsed name, ByteBufAllocator allocator, PulsarMeters meters, TopicRates rates) {
        this.rates = rates;
        this.publish = bucket(rates);
        this.name = name;
        this.allocator = allocator;
        this.frames = new MessageFrames(allocator);
        this.meters = meters;
    }

    /** As in Pulsar they last as long as the topic is loaded. */
    private static final class EpochsInMemory implements ProducerRoster.TopicEpochs {
        private long epoch = -1;

        @Override
        public long current() {
            return epoch;
        }

        @Override
        public void raise(long to, Durable raised) {
            epoch = Math.max(epoch, to);
            raised.durable();
        }
    }

    public PulsarNames.Parsed name() {
        return name;
    }

    // ---- rates

    private static @Nullable RateBucket bucket(TopicRates rates) {
        return rates.publish().limits() ? new RateBucket(rates.publish(), null, System.currentTimeMillis()) : null;
    }

    /** Keeps to the rates that hold by now. */
    synchronized void follow(TopicRates now) {
        if (!now.equals(rates)) {
            rates = now;
            publish = bucket(now);
        }
    }

    /** Bounds that hold for what is sent. */
    public TopicBounds bounds() {
        return rates.bounds();
    }

    /** Asked for each message: without a rate it takes no lock. */
    @Override
    public long publishWait() {
        SharedBucket group = rates.publishOfGroup();
        long wait = group == null ? 0 : group.waitMillis(System.currentTimeMillis());
        return rates.publish().limits() ? Math.max(wait, waitOfRate()) : wait;
    }

    private synchronized long waitOfRate() {
        return publish == null || closed ? 0 : publish.waitMillis(System.currentTimeMillis());
    }

    // ---- producers

    public synchronized void produce(ProducerSession producer, NonPersistentBounds bounds, ProducerRoster.Reply reply) {
        if (closed) {
            reply.refused(ServerError.ServiceNotReady, "the topic is being closed");
        } else if (isFull(bounds.producers(), producers.all().size())) {
            reply.refused(ServerError.ProducerBusy, "Topic '" + text() + "' reached max producers limit");
        } else {
            producers.add(producer, reply);
        }
    }

    public synchronized void remove(ProducerSession producer) {
        producers.remove(producer);
        usedAt = System.currentTimeMillis();
    }

    /** Hands the message out, to those who can take it now; false if its producer was fenced or removed. */
    public synchronized boolean publish(ProducerSession producer, NonPersistentMessage message) {
        if (!producer.attached()) {
            return false;
        }
        producer.published(message.count(), message.length());
        post(message);
        return true;
    }

    /** Hands out a message of nobody who has a producer here. */
    public synchronized void post(NonPersistentMessage message) {
        in.add(message.count(), message.length());
        long now = System.currentTimeMillis();
        if (publish != null) {
            publish.take(message.count(), message.length(), now);
        }
        SharedBucket group = rates.publishOfGroup();
        if (group != null) {
            group.take(message.count(), message.length(), now);
        }
        int delivered = 0;
        for (NonPersistentSubscription each : subscriptions.values()) {
            delivered += each.offer(message, frames, allocator, now) ? 1 : 0;
        }
        meters.nonPersistent(message.count(), delivered, subscriptions.size() - delivered);
    }

    private static boolean isFull(int most, int there) {
        return most > 0 && there >= most;
    }

    private String text() {
        return PulsarNames.ofNonPersistent(name);
    }

    // ---- consumers

    /** Reason that a consumer was not taken. */
    public record Refusal(ServerError error, String message) {}

    /** Null if the consumer has joined the subscription, which is made if there is none. */
    public synchronized @Nullable Refusal subscribe(
            SubscribeRequest request, NonPersistentBounds bounds, Consumer consumer) {
        if (closed) {
            return new Refusal(ServerError.ServiceNotReady, "the topic is being closed");
        }
        if (request.readCompacted()) {
            return new Refusal(ServerError.NotAllowedError, "readCompacted only valid on persistent topics");
        }
        if (consumers >= MAX_CONSUMERS) {
            return new Refusal(ServerError.ConsumerBusy, "a topic has at most " + MAX_CONSUMERS + " consumers");
        }
        NonPersistentSubscription there = subscriptions.get(request.name());
        Refusal full = whyFull(bounds, there);
        if (full != null) {
            return full;
        }
        if (there != null && !there.matches(request)) {
            if (!there.isIdle()) {
                return new Refusal(ServerError.ConsumerBusy, "Subscription is of different type: " + there.type());
            }
            there = null;
        }
        if (there == null && subscriptions.size() >= MAX_SUBSCRIPTIONS && !subscriptions.containsKey(request.name())) {
            return new Refusal(
                    ServerError.NotAllowedError, "a topic has at most " + MAX_SUBSCRIPTIONS + " subscriptions");
        }
        NonPersistentSubscription joined = there == null
                ? new NonPersistentSubscription(request, name.partition(), System.currentTimeMillis())
                : there;
        int before = joined.size();
        String why = joined.add(consumer);
        consumers += joined.size() - before;
        if (why != null) {
            boolean sticky = joined.type().equals("Key_Shared");
            return new Refusal(sticky ? ServerError.ConsumerAssignError : ServerError.ConsumerBusy, why);
        }
        subscriptions.put(request.name(), joined);
        return null;
    }

    private @Nullable Refusal whyFull(NonPersistentBounds bounds, @Nullable NonPersistentSubscription there) {
        if (isFull(bounds.consumers(), consumers)) {
            return new Refusal(ServerError.ConsumerBusy, "Topic reached max consumers limit");
        }
        if (there != null) {
            return isFull(bounds.consumersOfOne(), there.size())
                    ? new Refusal(ServerError.ConsumerBusy, "Subscription reached max consumers limit")
                    : null;
        }
        return isFull(bounds.subscriptions(), subscriptions.size())
                ? new Refusal(
                        ServerError.NotAllowedError,
                        "Exceed the maximum number of subscriptions of the topic: " + text())
                : null;
    }

    /** Takes the consumer off its subscription, which goes with it if it was a reader's. */
    public synchronized void remove(String subscription, Consumer consumer) {
        usedAt = System.currentTimeMillis();
        NonPersistentSubscription of = subscriptions.get(subscription);
        if (of == null) {
            return;
        }
        int before = of.size();
        of.remove(consumer);
        consumers -= before - of.size();
        if (of.isIdle() && !of.isDurable()) {
            subscriptions.remove(subscription, of);
        }
    }

    public synchronized void flow(String subscription, Consumer consumer, int messages) {
        NonPersistentSubscription of = subscriptions.get(subscription);
        if (of != null) {
            of.flow(consumer, messages, System.currentTimeMillis());
        }
    }

    /** Figures of the consumer; null if it has left. */
    public synchronized @Nullable ConsumerView viewOf(String subscription, Consumer consumer) {
        NonPersistentSubscription of = subscriptions.get(subscription);
        return of == null || !consumer.isSubscribed()
                ? null
                : of.view(System.currentTimeMillis()).consumers().stream()
                        .filter(each -> each.identity().equals(consumer.identity()))
                        .findFirst()
                        .orElse(null);
    }

    /**
     * Ends a subscription; its consumers are told to come again.
     *
     * @param most consumers that it may have
     * @return false if it has more
     */
    public synchronized boolean unsubscribe(String subscription, int most) {
        NonPersistentSubscription of = subscriptions.get(subscription);
        if (of != null && of.size() > most) {
            return false;
        }
        if (of != null) {
            consumers -= of.size();
            of.disconnectAll();
            subscriptions.remove(subscription);
        }
        return true;
    }

    public synchronized boolean hasSubscription(String subscription) {
        return subscriptions.containsKey(subscription);
    }

    /** Properties of the subscription; null if there is none. */
    public synchronized @Nullable Map<String, String> propertiesOf(String subscription) {
        NonPersistentSubscription of = subscriptions.get(subscription);
        return of == null ? null : of.properties();
    }

    /** Gives the subscription other properties; false if there is none. */
    public synchronized boolean describe(String subscription, Map<String, String> properties) {
        NonPersistentSubscription of = subscriptions.get(subscription);
        if (of != null) {
            of.describe(properties);
        }
        return of != null;
    }

    /** Type of the subscription as Pulsar writes it; {@code None} if there is none. */
    public synchronized String typeOf(String subscription) {
        NonPersistentSubscription of = subscriptions.get(subscription);
        return of == null ? "None" : of.type();
    }

    // ---- looked at

    /** A topic at one moment, for stats. */
    public record View(
            Traffic.View in,
            List<ProducerSession.View> producers,
            List<NonPersistentSubscription.View> subscriptions) {}

    public synchronized View view() {
        long now = System.currentTimeMillis();
        List<ProducerSession.View> writing = new ArrayList<>();
        producers.all().forEach(each -> writing.add(each.view(now)));
        List<NonPersistentSubscription.View> reading = new ArrayList<>();
        subscriptions.values().forEach(each -> reading.add(each.view(now)));
        return new View(in.view(now), writing, reading);
    }

    private boolean isUsed() {
        return consumers > 0
                || !producers.all().isEmpty()
                || !producers.waiting().isEmpty();
    }

    // ---- its end

    /** Sends its clients on to another cluster, each once it knows what it has here. */
    synchronized void migrate() {
        producers.migrate();
        for (NonPersistentSubscription each : List.copyOf(subscriptions.values())) {
            int before = each.size();
            each.migrate();
            consumers -= before - each.size();
            if (each.isIdle() && !each.isDurable()) {
                subscriptions.values().remove(each);
            }
        }
    }

    /** Closes it if it had no client for so long; true if it is closed. */
    synchronized boolean closeIfUnused(long now, long millis) {
        if (isUsed()) {
            usedAt = now;
        } else if (now - usedAt >= millis) {
            closed = true;
        }
        return closed;
    }

    /** Closes it; with {@code force} also if it has clients, who are told to look it up again. False if it has. */
    synchronized boolean close(boolean force) {
        if (isUsed() && !force) {
            return false;
        }
        closed = true;
        List.copyOf(subscriptions.values()).forEach(NonPersistentSubscription::disconnectAll);
        subscriptions.clear();
        consumers = 0;
        producers.close();
        return true;
    }
}
