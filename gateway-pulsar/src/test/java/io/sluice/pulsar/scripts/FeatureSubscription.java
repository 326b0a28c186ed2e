package io.sluice.pulsar.scripts;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.client.api.ConsumerBuilder;
import org.apache.pulsar.client.api.Message;
import org.apache.pulsar.client.api.MessageId;
import org.apache.pulsar.client.api.PulsarClient;
import org.apache.pulsar.client.api.PulsarClientException;
import org.apache.pulsar.client.api.SubscriptionInitialPosition;
import org.apache.pulsar.client.api.transaction.Transaction;
import org.jspecify.annotations.Nullable;

/** One subscription of a {@link FeatureScript}: its consumers, what they hold, and what they got since it was last told. */
final class FeatureSubscription {
    /** Consumers at a time. */
    static final int PLACES = 3;

    /** How what came is told. */
    enum Told {
        IN_ORDER,
        AS_A_SET,
        /** Only by {@link #takeAll}, since who of several consumers has a key is not promised. */
        BY_KEY_WHEN_TAKEN
    }

    private final PulsarClient client;
    private final String topic;
    private final String name;
    private final Told told;
    private final UnaryOperator<ConsumerBuilder<byte[]>> options;
    private final Map<Integer, Consumer<byte[]>> consumers = new TreeMap<>();
    private final TreeMap<Integer, Held> held = new TreeMap<>();
    private final List<String> arrived = new ArrayList<>();
    private final Map<String, List<Integer>> taken = new TreeMap<>();

    private final PartlyAcknowledged partly = new PartlyAcknowledged();

    /** Acknowledged in the transaction that is open. */
    private final Map<Integer, MessageId> pending = new TreeMap<>();

    private record Held(int number, Message<byte[]> message, Consumer<byte[]> by) {}

    FeatureSubscription(
            PulsarClient client, String topic, String name, Told told, UnaryOperator<ConsumerBuilder<byte[]>> options) {
        this.client = client;
        this.topic = topic;
        this.name = name;
        this.told = told;
        this.options = options;
    }

    String name() {
        return name;
    }

    @Nullable
    Object subscribe(int place) throws PulsarClientException {
        if (consumers.containsKey(place)) {
            return "is open";
        }
        ConsumerBuilder<byte[]> builder = client.newConsumer()
                .topic(topic)
                .subscriptionName(name)
                .consumerName("c" + place)
                .acknowledgmentGroupTime(0, TimeUnit.MILLISECONDS)
                .isAckReceiptEnabled(true)
                .subscriptionInitialPosition(SubscriptionInitialPosition.Earliest);
        consumers.put(place, options.apply(builder).subscribe());
        return null;
    }

    @Nullable
    Object reopen() throws PulsarClientException {
        closeAll();
        return subscribe(0);
    }

    @Nullable
    Object close(int place) throws PulsarClientException {
        Consumer<byte[]> consumer = consumers.remove(place);
        if (consumer == null) {
            return "is not open";
        }
        consumer.close();
        held.values().removeIf(each -> each.by == consumer);
        return null;
    }

    void closeAll() throws PulsarClientException {
        for (int place = 0; place < PLACES; place++) {
            close(place);
        }
    }

    boolean isConnected() {
        return consumers.values().stream().allMatch(Consumer::isConnected);
    }

    @Nullable
    Consumer<byte[]> first() {
        return consumers.values().stream().findFirst().orElse(null);
    }

    private @Nullable Held nth(int nth) {
        return held.isEmpty() ? null : new ArrayList<>(held.values()).get(nth % held.size());
    }

    /** @param in transaction; null for none */
    Object acknowledge(int nth, @Nullable Transaction in) throws Exception {
        Held message = nth(nth);
        if (message == null) {
            return "nothing held";
        }
        MessageId id = message.message.getMessageId();
        (in == null ? message.by.acknowledgeAsync(id) : message.by.acknowledgeAsync(id, in)).get(20, TimeUnit.SECONDS);
        held.remove(message.number);
        if (in == null) {
            partly.add(message.number, id);
        } else {
            pending.put(message.number, id);
        }
        return message.number;
    }

    void ended(boolean committed) {
        if (committed) {
            pending.forEach(partly::add);
        }
        pending.clear();
    }

    Object acknowledgeUpTo(int nth) throws Exception {
        Held message = nth(nth);
        if (message == null) {
            return "nothing held";
        }
        MessageId id = message.message.getMessageId();
        message.by.acknowledgeCumulativeAsync(id).get(20, TimeUnit.SECONDS);
        List<Held> upTo = held.values().stream()
                .filter(each -> each.message.getMessageId().compareTo(id) <= 0)
                .toList();
        upTo.forEach(each -> partly.add(each.number, each.message.getMessageId()));
        held.values().removeAll(upTo);
        return message.number;
    }

    Object refuse(int nth) {
        Held message = nth(nth);
        if (message == null) {
            return "nothing held";
        }
        message.by.negativeAcknowledge(message.message);
        held.remove(message.number);
        if (message.message.getRedeliveryCount() >= FeatureScript.REDELIVERIES) {
            partly.add(message.number, message.message.getMessageId()); // by the client, for the dead letters
        }
        return message.number;
    }

    /** By the retry topic of the subscription. */
    Object later(int nth) throws Exception {
        Held message = nth(nth);
        if (message == null) {
            return "nothing held";
        }
        message.by.reconsumeLater(message.message, 200, TimeUnit.MILLISECONDS);
        held.remove(message.number);
        partly.add(message.number, message.message.getMessageId());
        return message.number;
    }

    /** Values of messages that are acknowledged while others of their batch are not. */
    List<String> partlyAcknowledged() {
        return partly.values();
    }

    /** Its position is set: to a message, or if {@code value} is -1, to the first of a time. */
    void moves(List<MessageId> sent, int value) {
        if (value < 0) {
            partly.clear();
        } else {
            partly.moveTo(sent, value);
        }
    }

    /** Takes what has come. */
    boolean poll() throws PulsarClientException {
        boolean any = false;
        for (Consumer<byte[]> consumer : consumers.values()) {
            for (Message<byte[]> m = next(consumer); m != null; m = next(consumer)) {
                Held got = new Held(FeatureMessages.number(m), m, consumer);
                held.put(got.number, got);
                arrived.add(FeatureMessages.text(m));
                any = true;
            }
        }
        return any;
    }

    /** Acknowledges all that is held, in order. */
    boolean takeHeld() throws Exception {
        boolean any = !held.isEmpty();
        for (Held each : new ArrayList<>(held.values())) {
            each.by.acknowledgeAsync(each.message.getMessageId()).get(20, TimeUnit.SECONDS);
            partly.add(each.number, each.message.getMessageId());
            String key = each.message.hasKey() ? each.message.getKey() : "";
            List<Integer> numbers = taken.computeIfAbsent(key, k -> new ArrayList<>());
            numbers.remove((Integer) each.number);
            numbers.add(each.number);
        }
        held.clear();
        return any;
    }

    /** By key and in the order in which it was acknowledged; without a key as a set. */
    String taken() {
        Map<String, List<Integer>> numbers = new HashMap<>(taken);
        taken.clear();
        arrived.clear();
        List<Integer> unkeyed = numbers.get("");
        if (unkeyed != null) {
            unkeyed.sort(Comparator.naturalOrder());
        }
        return new TreeMap<>(numbers).toString();
    }

    private static @Nullable Message<byte[]> next(Consumer<byte[]> consumer) throws PulsarClientException {
        return consumer.receive(0, TimeUnit.MILLISECONDS);
    }

    /** Text of what came since it was last asked for. */
    String told() {
        if (told == Told.BY_KEY_WHEN_TAKEN) {
            return "[]";
        }
        List<String> texts = told == Told.IN_ORDER
                ? List.copyOf(arrived)
                : arrived.stream().sorted().distinct().toList();
        arrived.clear();
        return texts.toString();
    }
}
