package io.sluice.pulsar.dispatch;

import io.netty.buffer.ByteBuf;
import io.sluice.broker.entry.EntryFormat;
import io.sluice.broker.entry.EntryHeader;
import io.sluice.broker.log.Entries;
import io.sluice.broker.log.EntriesReply;
import io.sluice.broker.log.Isolation;
import io.sluice.broker.log.PartitionLog;
import io.sluice.broker.subscription.Cursor;
import io.sluice.pulsar.config.PulsarGatewayConfig.Limits;
import io.sluice.pulsar.error.ErrorMapping;
import io.sluice.pulsar.format.MalformedEntryException;
import io.sluice.pulsar.metrics.PulsarMeters;
import io.sluice.pulsar.wire.MessageFrames;
import io.sluice.store.segment.Durable;
import io.sluice.store.segment.StoreFailure;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.ToLongFunction;
import org.apache.pulsar.common.api.proto.CommandSubscribe.SubType;
import org.apache.pulsar.common.api.proto.ServerError;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The Pulsar side of one partition for one term of its log: who produces, who is subscribed, and how much there was of it.
 * It comes with the first client and dies with the log, telling everybody to look the topic up again. Loop only.
 */
public final class PartitionHub implements PartitionLog.TailWaiter {
    private static final Logger LOG = LoggerFactory.getLogger(PartitionHub.class);

    /** How long a reader's subscription waits for it to come back after a seek. */
    private static final long SEEK_GRACE_MILLIS = 60_000;

    /** Subscriptions in use, readers included. */
    private static final int MAX_OPEN = 10_000;

    /** Entries named in the log that no consumer can be given. */
    private static final int MAX_MALFORMED = 100;

    static final String FOREIGN =
            "the next messages were written by a Kafka client and cannot be read by Pulsar clients yet";

    /** @param partition -1 for a non-partitioned topic */
    record Place(PartitionLog log, String topic, int partition) {}

    private final Place place;
    private final HubServices services;
    private final Hubs hubs;
    private final MessageFrames frames;
    private final ProducerRoster producers;
    private final Map<String, Subscription> subscriptions = new HashMap<>();
    private final Traffic in;
    private final Traffic out;
    /** By subscription, also while it has no consumer. */
    private final Map<String, SubscriptionTraffic> delivered = new HashMap<>();

    /** By base offset, as far as they were logged. */
    private final Set<Long> malformed = new HashSet<>();

    private final LastMessage lastMessage;

    private @Nullable StoreFailure closed;

    PartitionHub(Place place, HubServices services, Hubs hubs) {
        this.place = place;
        this.services = services;
        this.hubs = hubs;
        this.frames = new MessageFrames(services.allocator());
        this.producers = new ProducerRoster(place.log());
        this.lastMessage = new LastMessage(place.log());
        this.in = new Traffic(now());
        this.out = new Traffic(now());
    }

    void open() {
        // no offset is this large: only the log's end wakes it
        place.log().await(Long.MAX_VALUE - 1, Isolation.COMMITTED, this);
    }

    public PartitionLog log() {
        return place.log();
    }

    long now() {
        return place.log().container().now();
    }

    public int partition() {
        return place.partition();
    }

    MessageFrames frames() {
        return frames;
    }

    Limits limits() {
        return services.limits();
    }

    PulsarMeters meters() {
        return services.meters();
    }

    // ---- producers

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

    /** From now on the log knows the producers by the ids that {@code idOf} says for their names. */
    public void deduplicate(ToLongFunction<String> idOf) {
        producers.all().forEach(p -> p.deduplicateAs(idOf.applyAsLong(p.name())));
        producers.waiting().forEach(p -> p.deduplicateAs(idOf.applyAsLong(p.name())));
    }

    public void published(ProducerSession producer, int messages, int bytes) {
        in.add(messages, bytes);
        producer.published(messages, bytes);
    }

    // ---- subscriptions

    /** Answer to {@link #subscribe}. */
    public interface SubscribeReply {
        void subscribed(Subscription subscription);

        /**
         * Asked in the turn that makes a durable subscription. False if it is not to be made here: then this is not answered, and whoever
         * asked has it made, and asks again.
         */
        default boolean makesSubscription() {
            return true;
        }

        void refused(ServerError error, String message);
    }

    public void subscribe(SubscribeRequest request, Consumer consumer, SubscribeReply reply) {
        Subscription there = subscriptions.get(request.name());
        Cursor cursor = there == null ? log().subscriptions().find(request.name()) : there.cursor;
        long next = cursor == null ? startOf(request) : cursor.nextFree(cursor.ackedBelow());
        if (request.readCompacted() && next < log().view().horizon()) {
            join(request, consumer, reply);
            return;
        }
        checkReadable(next, new EntryLocation() {
            @Override
            public void entry(long base, int offsets) {
                reply.refused(ServerError.NotAllowedError, FOREIGN);
            }

            @Override
            public void gone() {
                join(request, consumer, reply);
            }

            @Override
            public void failed(StoreFailure why) {
                reply.refused(ErrorMapping.of(why), why.message());
            }
        });
    }

    /** {@code entry} if the entry at {@code offset} is of another format, {@code gone} if there is none or it is ours. */
    private void checkReadable(long offset, EntryLocation reply) {
        long at = Math.max(offset, log().startOffset());
        if (at >= log().readableEnd(Isolation.COMMITTED)) {
            reply.gone();
            return;
        }
        log().read(at, 1, Isolation.COMMITTED, new EntriesReply() {
            @Override
            public void entries(Entries entries) {
                ByteBuf bytes = entries.bytes();
                boolean readable =
                        entries.format() == EntryFormat.PULSAR || EntryHeader.isControl(bytes, bytes.readerIndex());
                bytes.release();
                if (readable) {
                    reply.gone();
                } else {
                    reply.entry(at, 1);
                }
            }

            @Override
            public void atEnd() {
                reply.gone();
            }

            @Override
            public void outOfRange(long startOffset, long endOffset) {
                reply.gone();
            }

            @Override
            public void failed(StoreFailure why) {
                reply.failed(why);
            }
        });
    }

    private void join(SubscribeRequest request, Consumer consumer, SubscribeReply reply) {
        if (closed != null) {
            reply.refused(ErrorMapping.of(closed), closed.message());
            return;
        }
        Subscription s = subscriptions.get(request.name());
        if (s != null && s.isIdle() && !matches(s, request)) {
            s.endGrace();
            subscriptions.remove(request.name());
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
        boolean makes = s == null && request.durable() && log().subscriptions().find(request.name()) == null;
        if (makes && !reply.makesSubscription()) {
            return;
        }
        AckReceipt created = new AckReceipt(why -> {
            if (why != null) {
                reply.refused(ErrorMapping.of(why), why.message());
                return;
            }
            Subscription in = consumer.subscription();
            if (in == null) {
                reply.refused(ServerError.ServiceNotReady, "the subscription was closed meanwhile");
            } else {
                reply.subscribed(in);
                in.answered(consumer);
            }
        });
        Subscription joined = s == null ? open(request, created.one()) : s;
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

    private @Nullable String whyNotOpen(SubscribeRequest request) {
        if (request.durable()) {
            return log().subscriptions().whyNot(request.name(), request.properties());
        }
        return subscriptions.size() < MAX_OPEN ? null : "a partition has at most " + MAX_OPEN + " subscriptions in use";
    }

    private static ServerError refusal(SubscribeRequest request) {
        return request.type() == SubType.Key_Shared ? ServerError.ConsumerAssignError : ServerError.ConsumerBusy;
    }

    private static boolean matches(Subscription s, SubscribeRequest request) {
        if (s.durable != request.durable()) {
            return false;
        }
        return s.type().equals(request.type().name())
                && (!(s instanceof Sharing sharing) || sharing.isSticky() == isSticky(request));
    }

    private static boolean isSticky(SubscribeRequest request) {
        return request.type() == SubType.Key_Shared && request.sticky();
    }

    /** The subscription with its cursor; {@code created} is called once either way. */
    private Subscription open(SubscribeRequest request, Durable created) {
        Cursor cursor;
        if (!request.durable()) {
            cursor = new VolatileCursor(request.name(), startOf(request), request.properties());
            created.durable();
        } else {
            Cursor known = log().subscriptions().find(request.name());
            cursor = known != null
                    ? known
                    : log().subscriptions().create(request.name(), startOf(request), request.properties(), created);
            if (known != null) {
                created.durable();
            }
        }
        Subscription s = switch (request.type()) {
            case Exclusive -> new InOrder(this, cursor, request.durable(), false);
            case Failover -> new InOrder(this, cursor, request.durable(), true);
            case Shared -> new Sharing(this, cursor, request.durable(), null, false);
            case Key_Shared ->
                new Sharing(
                        this,
                        cursor,
                        request.durable(),
                        request.sticky() ? new StickyHashes() : new ConsistentHashes(),
                        !request.outOfOrder());
        };
        subscriptions.put(request.name(), s);
        return s;
    }

    private long startOf(SubscribeRequest request) {
        return startOf(log(), request);
    }

    /** Where a new subscription begins in a partition; on its loop. */
    public static long startOf(PartitionLog log, SubscribeRequest request) {
        long start = CompactedReads.start(log, request.readCompacted());
        long end = log.readableEnd(Isolation.COMMITTED);
        if (request.start() != null && !request.durable()) {
            return Math.clamp(
                    log.offsetOf(request.start().ledger(), request.start().entry()), start, end);
        }
        return request.earliest() ? start : end;
    }

    public void remove(Consumer consumer) {
        Subscription s = consumer.subscription();
        if (s != null) {
            s.remove(consumer);
        }
    }

    /** Deletes the durable subscription; its consumers are told to come again, and find that it is gone. */
    public void unsubscribe(String name, Durable done) {
        Subscription s = subscriptions.get(name);
        if (s != null) {
            s.disconnectAll(false);
            subscriptions.remove(name);
        }
        if (log().subscriptions().find(name) == null) {
            done.durable();
        } else {
            CompactedReads.deleteSubscription(log(), name, done);
        }
        delivered.remove(name);
    }

    /** Null if it has no consumer. */
    public @Nullable Subscription connected(String name) {
        return subscriptions.get(name);
    }

    /**
     * The subscription has no consumers: a durable one lives on in its cursor.
     *
     * @param comingBack a reader was told to subscribe again, and wants its position kept
     */
    void idle(Subscription s, boolean comingBack) {
        if (s.durable || !comingBack) {
            forget(s);
            return;
        }
        s.beginGrace(SEEK_GRACE_MILLIS, () -> forget(s));
    }

    private void forget(Subscription s) {
        s.endGrace();
        if (subscriptions.remove(s.name(), s) && !s.durable) {
            delivered.remove(s.name());
        }
    }

    /** Messages of a subscription went out, again or for the first time. */
    void delivered(SubscriptionTraffic ofSubscription, int messages, int bytes) {
        ofSubscription.out.add(messages, bytes);
        out.add(messages, bytes);
        meters().delivered(messages, bytes);
    }

    SubscriptionTraffic trafficOf(String subscription) {
        return delivered.computeIfAbsent(subscription, name -> new SubscriptionTraffic(now()));
    }

    void foreignEntries(Subscription s) {
        LOG.info("{}: subscription {} stops: {}", place.topic(), s.name(), FOREIGN);
    }

    void damagedEntries(Subscription s, StoreFailure.Corrupt why) {
        LOG.warn("{}: subscription {} stops: {}", place.topic(), s.name(), why.message());
    }

    /** Says so once for each entry, however many read it, and for so many entries. */
    void malformedEntry(long base, MalformedEntryException why) {
        if (malformed.size() > MAX_MALFORMED || !malformed.add(base)) {
            return;
        }
        if (malformed.size() > MAX_MALFORMED) {
            LOG.warn("{}: more than {} entries are malformed; the others are not named", place.topic(), MAX_MALFORMED);
            return;
        }
        String messageId = log().ledgerAt(base) + ":" + base + ":" + partition();
        LOG.warn("{}: message {} is malformed and passed over: {}", place.topic(), messageId, why.getMessage());
    }

    // ---- looking

    /**
     * The entry with the last message that consumers may see; {@code gone} if there is none.
     *
     * @param compacted of what is left for those who read what is compacted
     */
    public void lastMessage(boolean compacted, EntryLocation reply) {
        lastMessage.find(compacted ? CompactedReads.last(log(), reply) : reply);
    }

    /** Messages between the cursor and the end that are not acknowledged. */
    public static long backlog(PartitionLog log, Cursor cursor) {
        long from = Math.max(cursor.ackedBelow(), log.startOffset());
        return Math.max(0, log.readableEnd(Isolation.COMMITTED) - from - cursor.ackedAbove());
    }

    public HubView view() {
        List<ProducerSession.View> writing = new ArrayList<>();
        producers.all().forEach(p -> writing.add(p.view(now())));
        List<SubscriptionView> reading = new ArrayList<>();
        subscriptions.values().forEach(s -> reading.add(s.view()));
        Map<String, SubscriptionTraffic.View> read = new HashMap<>();
        delivered.forEach((name, traffic) -> read.put(name, traffic.view(now())));
        return new HubView(new HubView.Flow(in.view(now()), out.view(now()), read), writing, reading);
    }

    // ---- end

    @Override
    public void moreToRead() {
        throw new IllegalStateException("an offset beyond all others became readable");
    }

    @Override
    public void terminated() {
        List.copyOf(subscriptions.values()).forEach(Subscription::tellOfEnd);
    }

    @Override
    public void closed(StoreFailure why) {
        closed = why;
        hubs.drop(this);
        List.copyOf(subscriptions.values()).forEach(Subscription::close);
        subscriptions.clear();
        producers.close();
    }
}
