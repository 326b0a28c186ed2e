package io.sluice.pulsar.scripts;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.client.api.ConsumerBuilder;
import org.apache.pulsar.client.api.KeySharedPolicy;
import org.apache.pulsar.client.api.Message;
import org.apache.pulsar.client.api.MessageId;
import org.apache.pulsar.client.api.MessageIdAdv;
import org.apache.pulsar.client.api.PulsarClient;
import org.apache.pulsar.client.api.PulsarClientException;
import org.apache.pulsar.client.api.Range;
import org.apache.pulsar.client.api.SubscriptionInitialPosition;
import org.apache.pulsar.client.api.SubscriptionType;
import org.jspecify.annotations.Nullable;

/**
 * One subscription of a script: its consumers, what they hold without having acknowledged it, and what they got since it was last told.
 * What is told leaves out what no server promises: which of several consumers gets a message, and the order between consumers.
 */
final class DeliverySubscription {
    /** Consumers at a time. */
    static final int PLACES = 3;

    private static final int NACK_MILLIS = 100;

    /**
     * Time in which Pulsar reads again what a consumer gives back that leaves others behind. If the last one leaves during that read, and a new
     * one comes, it gets what was read and nothing else until a message is published: the read for new ones waits at the end and is not
     * rewound ({@code shouldRewindBeforeReadingOrReplaying}). Seeds 1015 and 5021 came to it.
     */
    private static final long LEAVING = TimeUnit.MILLISECONDS.toNanos(500);

    private static final int THIRD = 65536 / PLACES;

    private final PulsarClient client;
    private final String topic;
    private final SubscriptionType type;
    private final int queue;
    private final boolean indexes;
    private final boolean sticky;
    private final List<@Nullable Consumer<byte[]>> consumers = new ArrayList<>();
    private final TreeMap<Integer, Held> held = new TreeMap<>();
    private final List<Held> arrived = new ArrayList<>();

    /** How often a message came depends on who had it once several consumers were there. */
    private boolean counts = true;

    /**
     * Messages that come or not by who gets them, of Shared: a client that has moved to a message passes over that one, and over those before
     * it in its batch, for as long as it is there, and another client does not. No consumer takes them.
     */
    private final Set<Integer> undecided = new HashSet<>();

    private final PartlyAcknowledged partly = new PartlyAcknowledged();

    /** Whether its position was set into the middle of a batch. */
    private boolean inBatch;

    /** Times before which messages must not come to several consumers, in milliseconds since 1970, by the first of those sent together. */
    private final TreeMap<Integer, Long> due = new TreeMap<>();

    /** Messages that came before their time. */
    private final Set<Integer> early = new HashSet<>();

    /** A message, and the consumer that got it. */
    record Held(int value, Message<byte[]> message, Consumer<byte[]> by) {}

    /**
     * @param queue size of the consumers' receiver queues, messages
     * @param indexes whether messages of a batch are acknowledged one by one
     * @param sticky whether each Key_Shared consumer has a third of the hashes; else there is one, since which of several has a key is not
     *     promised
     */
    DeliverySubscription(
            PulsarClient client, String topic, SubscriptionType type, int queue, boolean indexes, boolean sticky) {
        this.sticky = sticky;
        this.client = client;
        this.topic = topic;
        this.type = type;
        this.queue = queue;
        this.indexes = indexes;
        for (int place = 0; place < PLACES; place++) {
            consumers.add(null);
        }
    }

    String name() {
        return type.name();
    }

    boolean isShared() {
        return type == SubscriptionType.Shared || type == SubscriptionType.Key_Shared;
    }

    boolean isOpen(int place) {
        return consumers.get(place) != null;
    }

    private List<Consumer<byte[]>> open() {
        List<Consumer<byte[]>> open = new ArrayList<>();
        for (Consumer<byte[]> each : consumers) {
            if (each != null) {
                open.add(each);
            }
        }
        return open;
    }

    /** The first consumer that is open; null if none is. */
    @Nullable
    Consumer<byte[]> first() {
        List<Consumer<byte[]>> open = open();
        return open.isEmpty() ? null : open.getFirst();
    }

    /** The consumer of the highest priority is the active one of a Failover subscription. */
    @Nullable
    Object subscribe(int place, SubscriptionInitialPosition from) throws PulsarClientException {
        if (isOpen(place)) {
            return "is open";
        }
        if (type == SubscriptionType.Key_Shared && !sticky && place > 0) {
            return "one is enough";
        }
        ConsumerBuilder<byte[]> builder = client.newConsumer()
                .topic(topic)
                .subscriptionName(name())
                .consumerName("c" + place)
                .priorityLevel(type == SubscriptionType.Failover ? place : 0)
                .subscriptionType(type)
                .receiverQueueSize(queue)
                .acknowledgmentGroupTime(0, TimeUnit.MILLISECONDS)
                .isAckReceiptEnabled(true)
                .enableBatchIndexAcknowledgment(indexes)
                .negativeAckRedeliveryDelay(NACK_MILLIS, TimeUnit.MILLISECONDS)
                .subscriptionInitialPosition(from);
        if (type == SubscriptionType.Key_Shared) {
            builder.keySharedPolicy(keys(place)); // the client refuses one for the other types
        }
        consumers.set(place, builder.subscribe());
        counts &= open().size() < 2;
        return null;
    }

    private KeySharedPolicy keys(int place) {
        return sticky
                ? KeySharedPolicy.stickyHashRange().ranges(Range.of(place * THIRD, (place + 1) * THIRD - 1))
                : KeySharedPolicy.autoSplitHashRange();
    }

    /** Leaves it to new consumers: one, or one for each third of the hashes. */
    @Nullable
    Object reopen() throws PulsarClientException {
        closeAll();
        for (int place = 0; place < (type == SubscriptionType.Key_Shared && sticky ? PLACES : 1); place++) {
            subscribe(place, SubscriptionInitialPosition.Earliest);
        }
        return null;
    }

    @Nullable
    Object close(int place) throws PulsarClientException {
        Consumer<byte[]> consumer = consumers.set(place, null);
        if (consumer == null) {
            return "is not open";
        }
        consumer.close();
        return null;
    }

    void closeAll() throws PulsarClientException {
        for (int place = 0; place < PLACES; place++) {
            if (close(place) == null && isShared() && !open().isEmpty()) {
                LockSupport.parkNanos(LEAVING);
            }
        }
        undecided.clear();
    }

    /** Messages from this one on wait until then. */
    void waits(int first, long millis) {
        due.clear(); // those before are due by now
        due.put(first, millis);
    }

    /**
     * The first consumer moves to a message, which is in one entry with these; they count as acknowledged where they are of a batch.
     *
     * @param upTo by value
     */
    void moves(Map<Integer, MessageId> upTo) {
        partly.clear();
        upTo.forEach(partly::add);
        inBatch = ((MessageIdAdv) upTo.values().iterator().next()).getBatchIndex() >= 0;
        if (type == SubscriptionType.Shared) {
            undecided.addAll(upTo.keySet());
        }
    }

    /** It begins at an entry again; what it had before is not what is to be acknowledged next. */
    void movesToEntry() {
        held.clear();
        partly.clear();
        inBatch = false;
    }

    /** Whether the first messages that are not acknowledged are no batch: servers count one message of it or all when they skip. */
    boolean maySkip(int many) {
        return !inBatch
                && undecided.isEmpty()
                && held.values().stream()
                        .map(each -> (MessageIdAdv) each.message.getMessageId())
                        .sorted()
                        .limit(many)
                        .allMatch(id -> id.getBatchIndex() < 0);
    }

    /** Values of messages that are acknowledged while others of their batch are not. */
    List<String> partlyAcknowledged() {
        return partly.values();
    }

    /** Deletes the subscription by its first consumer, as which it fails while there is another. */
    @Nullable
    Object unsubscribe() throws PulsarClientException {
        Consumer<byte[]> consumer = first();
        if (consumer == null) {
            return "no consumer";
        }
        consumer.unsubscribe();
        consumers.set(consumers.indexOf(consumer), null);
        movesToEntry();
        return null;
    }

    /** The nth of what is held, in the order in which it was sent; null if nothing is. */
    @Nullable
    Held nth(int nth) {
        return held.isEmpty() ? null : new ArrayList<>(held.values()).get(nth % held.size());
    }

    /** Acknowledges by the consumer that got the message, or by another if that one is closed. */
    @Nullable
    Object acknowledge(int nth) throws Exception {
        Held message = nth(nth);
        Consumer<byte[]> by = message == null ? null : holder(message);
        if (message == null || by == null) {
            return "nothing held";
        }
        by.acknowledgeAsync(message.message.getMessageId()).get(20, TimeUnit.SECONDS);
        held.remove(message.value);
        partly.add(message.value, message.message.getMessageId());
        return message.value;
    }

    @Nullable
    Object acknowledgeUpTo(int nth) throws Exception {
        Held message = nth(nth);
        Consumer<byte[]> by = message == null ? null : holder(message);
        if (message == null || by == null) {
            return "nothing held";
        }
        MessageId id = message.message.getMessageId();
        by.acknowledgeCumulativeAsync(id).get(20, TimeUnit.SECONDS);
        held.values().stream()
                .filter(each -> each.message.getMessageId().compareTo(id) <= 0)
                .forEach(each -> partly.add(each.value, each.message.getMessageId()));
        held.values().removeIf(each -> each.message.getMessageId().compareTo(id) <= 0);
        return message.value;
    }

    @Nullable
    Object negativelyAcknowledge(int nth) {
        Held message = nth(nth);
        if (message == null || !open().contains(message.by)) {
            return "nothing held";
        }
        message.by.negativeAcknowledge(message.message);
        return message.value;
    }

    private @Nullable Consumer<byte[]> holder(Held message) {
        return open().contains(message.by) ? message.by : first();
    }

    void redeliver() {
        open().forEach(Consumer::redeliverUnacknowledgedMessages);
    }

    boolean isConnected() {
        return open().stream().allMatch(Consumer::isConnected);
    }

    /** Takes what has come. */
    boolean poll() throws PulsarClientException {
        boolean any = false;
        for (Consumer<byte[]> consumer : open()) {
            for (Message<byte[]> m = next(consumer); m != null; m = next(consumer)) {
                Held got = new Held(Integer.parseInt(new String(m.getData(), UTF_8)), m, consumer);
                any = true;
                Map.Entry<Integer, Long> wait = due.floorEntry(got.value);
                if (isShared() && wait != null && System.currentTimeMillis() < wait.getValue()) {
                    early.add(got.value);
                }
                if (!undecided.contains(got.value)) {
                    held.put(got.value, got);
                    arrived.add(got);
                }
            }
        }
        return any;
    }

    private static @Nullable Message<byte[]> next(Consumer<byte[]> consumer) throws PulsarClientException {
        return consumer.receive(0, TimeUnit.MILLISECONDS);
    }

    /**
     * Text of what came since it was last asked for: in order, of Key_Shared by key, of Shared as a set with the redeliveries of each
     * message while there was one consumer.
     *
     * @param known values that came before and are left out: who had them, and so who gets them now, is not promised; null for none
     */
    String told(@Nullable Set<Integer> known) {
        if (known != null) {
            arrived.removeIf(each -> known.contains(each.value));
        }
        String text = switch (type) {
            case Shared -> new TreeSet<>(texts(arrived)).toString();
            case Key_Shared -> byKey();
            default -> inOrder();
        };
        arrived.clear();
        return text;
    }

    boolean hasSeveral() {
        return open().size() > 1;
    }

    Set<Integer> heldValues() {
        return new HashSet<>(held.keySet());
    }

    private List<String> texts(List<Held> messages) {
        return messages.stream().map(this::text).toList();
    }

    private String text(Held each) {
        int again = each.message.getRedeliveryCount();
        String text = "%03d%s".formatted(each.value, counts && again > 0 ? "(" + again + ")" : "");
        return early.contains(each.value) ? text + " early" : text;
    }

    private String inOrder() {
        // the first is the active one; another may have been while it came back
        Consumer<byte[]> active = first();
        return texts(arrived.stream().filter(m -> m.by == active).toList()).toString();
    }

    private String byKey() {
        Map<String, List<Held>> keys = new TreeMap<>();
        for (Held each : arrived) {
            String key = each.message.hasKey() ? each.message.getKey() : "";
            keys.computeIfAbsent(key, k -> new ArrayList<>()).add(each);
        }
        List<String> text = new ArrayList<>();
        keys.forEach((key, messages) -> {
            boolean keyed = !key.isEmpty();
            boolean torn = keyed && messages.stream().map(Held::by).distinct().count() > 1;
            text.add(key + (torn ? " torn" : "") + (keyed ? texts(messages) : new TreeSet<>(texts(messages))));
        });
        return text.toString();
    }
}
