package io.sluice.pulsar.scripts;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.apache.pulsar.client.admin.PulsarAdmin;
import org.apache.pulsar.client.api.BatcherBuilder;
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.client.api.Message;
import org.apache.pulsar.client.api.MessageId;
import org.apache.pulsar.client.api.MessageIdAdv;
import org.apache.pulsar.client.api.Producer;
import org.apache.pulsar.client.api.PulsarClient;
import org.apache.pulsar.client.api.PulsarClientException;
import org.apache.pulsar.client.api.Reader;
import org.apache.pulsar.client.api.ReaderBuilder;
import org.apache.pulsar.client.api.SubscriptionInitialPosition;
import org.apache.pulsar.client.api.SubscriptionType;
import org.apache.pulsar.client.api.TypedMessageBuilder;
import org.jspecify.annotations.Nullable;

/**
 * One random script over a topic with a subscription of each type: what is done depends on the seed alone. The answer to a step is what
 * the client made of it, and all that the consumers have got when nothing comes any more.
 */
final class DeliveryScript implements Script {
    /** Begin of the names of steps behind which clients come again. */
    static final List<String> COMING_AGAIN = List.of("the server has started again", "unload");

    private static final int[] QUEUES = {1, 3, 1000};
    private static final int KEYS = 4;
    private static final int SOON_MILLIS = 2000;
    private static final long ENDS_WITHIN = TimeUnit.SECONDS.toNanos(60);
    private static final long PAUSE = TimeUnit.MILLISECONDS.toNanos(4);

    private final PulsarClient client;
    private final PulsarAdmin admin;
    private final Random random;
    private final String topic;
    private final int quietMillis;
    private final List<DeliverySubscription> subscriptions = new ArrayList<>();
    private final Producer<byte[]> single;
    private final Producer<byte[]> batching;
    private final Producer<byte[]> batchingByKey;

    /** Ids of all that was sent; the index is the value. */
    private final List<MessageId> sent = new ArrayList<>();

    /** Times between two sends, in milliseconds since 1970. */
    private final List<Long> marks = new ArrayList<>();

    private final List<String> answers = new ArrayList<>();

    /**
     * @param namespace whose retention keeps all
     * @param run part of the topic's name
     * @param quietMillis how long nothing must come until a step is over
     */
    DeliveryScript(PulsarClient client, PulsarAdmin admin, String namespace, String run, long seed, int quietMillis)
            throws Exception {
        this.client = client;
        this.admin = admin;
        this.random = new Random(seed);
        this.quietMillis = quietMillis;
        this.topic = "persistent://" + namespace + "/" + run + "-" + seed;
        admin.topics().createNonPartitionedTopic(topic);
        single = client.newProducer()
                .topic(topic)
                .producerName("single")
                .enableBatching(false)
                .create();
        batching = batching("batching", BatcherBuilder.DEFAULT);
        batchingByKey = batching("by-key", BatcherBuilder.KEY_BASED);
        int queue = QUEUES[random.nextInt(QUEUES.length)];
        boolean indexes = random.nextBoolean();
        boolean sticky = random.nextBoolean();
        for (SubscriptionType type : SubscriptionType.values()) {
            DeliverySubscription subscription = new DeliverySubscription(client, topic, type, queue, indexes, sticky);
            subscription.reopen();
            subscriptions.add(subscription);
        }
        answers.add("receiver queues of " + queue + (indexes ? ", batch indexes" : "") + (sticky ? ", sticky" : ""));
    }

    private Producer<byte[]> batching(String name, BatcherBuilder batcher) throws PulsarClientException {
        return client.newProducer()
                .topic(topic)
                .producerName(name)
                .batcherBuilder(batcher)
                .batchingMaxPublishDelay(1, TimeUnit.HOURS)
                .create();
    }

    @Override
    public List<String> answers() {
        return answers;
    }

    @Override
    public void run(int steps) throws Exception {
        for (int i = 0; i < steps; i++) {
            step();
        }
    }

    @Override
    public void restarted() throws Exception {
        answer(COMING_AGAIN.getFirst() + inPart(), "done", quietMillis * 3, null);
    }

    @Override
    public void finish() throws Exception {
        for (DeliverySubscription each : subscriptions) {
            each.reopen();
        }
        answer("at last new consumers", "done", quietMillis, null);
    }

    private void step() throws Exception {
        int what = random.nextInt(100);
        int many = 1 + random.nextInt(5);
        int nth = random.nextInt(1000);
        int place = random.nextInt(DeliverySubscription.PLACES);
        boolean flag = random.nextBoolean();
        DeliverySubscription s = subscriptions.get(random.nextInt(subscriptions.size()));
        String name = s.name();
        if (what < 14) {
            answer("send " + many, Outcome.of(() -> send(single, many, false, 0)));
        } else if (what < 24) {
            answer("send with keys " + many, Outcome.of(() -> send(single, many, true, 0)));
        } else if (what < 36) {
            answer("send a batch of " + many, Outcome.of(() -> send(batching, many, false, 0)));
        } else if (what < 42) {
            answer("send batches of keys, " + many, Outcome.of(() -> send(batchingByKey, many, true, 0)));
        } else if (what < 44) {
            sendDelayed(flag ? batching : single, many);
        } else if (what < 58) {
            answer(name + " acknowledges", Outcome.of(() -> acknowledge(s, nth, many)));
        } else if (what < 64) {
            answer(name + " acknowledges up to", Outcome.of(() -> s.acknowledgeUpTo(nth)));
        } else if (what < 70) {
            answer(name + " refuses", Outcome.of(() -> s.negativelyAcknowledge(nth)), quietMillis + 500, null);
        } else if (what < 73) {
            s.redeliver();
            answer(name + " asks again", "done");
        } else if (what < 79) {
            seek(s, nth, flag);
        } else if (what < 83) {
            administer(s, nth, place, many);
        } else if (what < 85) {
            answer(name + " unsubscribes", Outcome.of(s::unsubscribe));
        } else if (what < 90) {
            subscribe(s, place, flag);
        } else if (what < 93) {
            close(s, place);
        } else if (what < 95) {
            answer(name + " has new consumers", Outcome.of(s::reopen));
        } else if (what < 96) {
            String outcome = Outcome.of(() -> {
                admin.topics().unload(topic);
                return null;
            });
            answer(COMING_AGAIN.getLast() + inPart(), outcome, quietMillis * 3, null);
        } else if (what < 99) {
            answer(
                    "a reader from " + (sent.isEmpty() ? "the first" : nth % sent.size()),
                    Outcome.of(() -> read(nth, flag)));
        } else {
            answer(name + " asks for the last message", Outcome.of(() -> last(s)));
        }
    }

    private String inPart() {
        Map<String, List<String>> values = new LinkedHashMap<>();
        subscriptions.forEach(each -> values.put(each.name(), each.partlyAcknowledged()));
        return PartlyAcknowledged.text(values);
    }

    private void subscribe(DeliverySubscription s, int place, boolean earliest) throws Exception {
        Set<Integer> held = s.isShared() ? s.heldValues() : null;
        String outcome = Outcome.of(() -> s.subscribe(
                place, earliest ? SubscriptionInitialPosition.Earliest : SubscriptionInitialPosition.Latest));
        answer(s.name() + " gets consumer " + place, outcome, quietMillis, s.hasSeveral() ? held : null);
    }

    private void close(DeliverySubscription s, int place) throws Exception {
        Set<Integer> held = s.isShared() && s.hasSeveral() ? s.heldValues() : null;
        answer(s.name() + " loses consumer " + place, Outcome.of(() -> s.close(place)), quietMillis, held);
    }

    private @Nullable Object send(Producer<byte[]> producer, int many, boolean keys, long delayMillis)
            throws Exception {
        LockSupport.parkNanos(PAUSE);
        marks.add(System.currentTimeMillis());
        LockSupport.parkNanos(PAUSE);
        List<CompletableFuture<MessageId>> sends = new ArrayList<>();
        for (int i = 0; i < many; i++) {
            TypedMessageBuilder<byte[]> message = producer.newMessage()
                    .value(Integer.toString(sent.size() + i).getBytes(UTF_8));
            if (keys) {
                message.key("k" + random.nextInt(KEYS));
            }
            if (delayMillis > 0) {
                message.deliverAfter(delayMillis, TimeUnit.MILLISECONDS);
            }
            sends.add(message.sendAsync());
        }
        producer.flush();
        for (CompletableFuture<MessageId> each : sends) {
            sent.add(each.get(20, TimeUnit.SECONDS));
        }
        return null;
    }

    /** The answer is told when their time is there, with those that came before it to consumers for which they wait. */
    private void sendDelayed(Producer<byte[]> producer, int many) throws Exception {
        int first = sent.size();
        String outcome = Outcome.of(() -> send(producer, many, false, SOON_MILLIS));
        long due = marks.getLast() + SOON_MILLIS;
        subscriptions.forEach(each -> each.waits(first, due));
        drainUntil(due + 1);
        answer("send " + many + " for later", outcome, quietMillis * 2, null);
    }

    private static Object acknowledge(DeliverySubscription s, int nth, int many) throws Exception {
        List<Object> values = new ArrayList<>();
        for (int i = 0; i < many; i++) {
            values.add(String.valueOf(s.acknowledge(nth)));
        }
        return values;
    }

    private void seek(DeliverySubscription s, int nth, boolean byTime) throws Exception {
        Consumer<byte[]> consumer = s.first();
        if (consumer == null || sent.isEmpty()) {
            answer(s.name() + " seeks", "nothing to seek");
            return;
        }
        boolean ends = nth % 7 == 0;
        MessageId end = byTime ? MessageId.earliest : MessageId.latest;
        int to = nth % (byTime ? marks.size() : sent.size());
        String where = ends ? "to an end " + byTime : byTime ? "to time " + to : "to message " + to;
        if (ends || byTime) {
            s.movesToEntry();
        } else {
            s.moves(entryUpTo(to));
        }
        String outcome = Outcome.of(() -> {
            CompletableFuture<Void> seek = ends
                    ? consumer.seekAsync(end)
                    : byTime ? consumer.seekAsync(marks.get(to)) : consumer.seekAsync(sent.get(to));
            return seek.get(20, TimeUnit.SECONDS);
        });
        answer(s.name() + " seeks " + where, outcome, quietMillis * 3, null);
    }

    /** The message and those before it in its batch. */
    private Map<Integer, MessageId> entryUpTo(int value) {
        MessageIdAdv id = (MessageIdAdv) sent.get(value);
        Map<Integer, MessageId> values = new HashMap<>();
        for (int each = 0; each < sent.size(); each++) {
            MessageIdAdv other = (MessageIdAdv) sent.get(each);
            if (other.getEntryId() == id.getEntryId()
                    && other.getLedgerId() == id.getLedgerId()
                    && other.getBatchIndex() <= id.getBatchIndex()) {
                values.put(each, other);
            }
        }
        return values;
    }

    private void administer(DeliverySubscription s, int nth, int how, int many) throws Exception {
        String name = s.name();
        if (how == 0) {
            if (!s.maySkip(many)) {
                answer("skip " + many + " of " + name, "a batch is in the way");
                return;
            }
            String outcome = Outcome.of(() -> {
                admin.topics().skipMessages(topic, name, many);
                return null;
            });
            answer("skip " + many + " of " + name, outcome, quietMillis * 2, null);
        } else if (how == 1) {
            List<MessageId> alone = sent.stream()
                    .filter(id -> ((MessageIdAdv) id).getBatchIndex() < 0)
                    .toList();
            if (alone.isEmpty()) {
                return;
            }
            MessageId to = alone.get(nth % alone.size());
            String outcome = Outcome.of(() -> {
                admin.topics().expireMessages(topic, name, to, false);
                return null;
            });
            answer("expire " + name + " up to " + sent.indexOf(to), outcome, quietMillis * 2, null);
        } else if (s.heldValues().isEmpty()) {
            answer("expire all of " + name, "nothing held"); // Pulsar refuses that
            return;
        } else {
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(2100));
            String outcome = Outcome.of(() -> {
                admin.topics().expireMessages(topic, name, 1);
                return null;
            });
            answer("expire all of " + name, outcome, quietMillis * 2, null);
        }
        // Those who hold messages are not told; a new consumer shows what is left.
        answer(name + " has new consumers", Outcome.of(s::reopen));
    }

    private Object read(int nth, boolean inclusive) throws Exception {
        MessageId from = sent.isEmpty() ? MessageId.earliest : sent.get(nth % sent.size());
        ReaderBuilder<byte[]> builder = client.newReader().topic(topic).startMessageId(from);
        List<String> values = new ArrayList<>();
        try (Reader<byte[]> reader =
                inclusive ? builder.startMessageIdInclusive().create() : builder.create()) {
            while (reader.hasMessageAvailable()) {
                Message<byte[]> m = reader.readNext(5, TimeUnit.SECONDS);
                values.add(m == null ? "nothing" : new String(m.getData(), UTF_8));
                if (m == null) {
                    break;
                }
            }
        }
        return (inclusive ? "with it " : "") + values;
    }

    private Object last(DeliverySubscription s) throws PulsarClientException {
        Consumer<byte[]> consumer = s.first();
        if (consumer == null) {
            return "no consumer";
        }
        MessageId last = consumer.getLastMessageIds().getFirst();
        for (int value = 0; value < sent.size(); value++) {
            if (sent.get(value).compareTo(last) == 0) {
                return value;
            }
        }
        return "none of those sent";
    }

    private void answer(String step, String outcome) throws Exception {
        answer(step, outcome, quietMillis, null);
    }

    /** @param known see {@link DeliverySubscription#told}; of the subscription that the step is about */
    private void answer(String step, String outcome, int quiet, @Nullable Set<Integer> known) throws Exception {
        drain(answers.size() == 1 ? quiet * 3 : quiet); // the first messages of a topic take longer
        Map<String, String> told = new HashMap<>();
        for (DeliverySubscription each : subscriptions) {
            told.put(each.name(), each.told(step.startsWith(each.name()) ? known : null));
        }
        told.values().removeIf("[]"::equals);
        StringBuilder text = new StringBuilder(step + ": " + outcome);
        for (DeliverySubscription each : subscriptions) {
            String got = told.get(each.name());
            if (got != null) {
                text.append("; ").append(each.name()).append(' ').append(got);
            }
        }
        answers.add(text.toString());
    }

    /** Takes all that comes until nothing has for a while, and all are connected. */
    private void drain(int quiet) throws PulsarClientException {
        long start = System.nanoTime();
        long since = start;
        while (System.nanoTime() - since < TimeUnit.MILLISECONDS.toNanos(quiet)) {
            boolean any = !isConnected();
            for (DeliverySubscription each : subscriptions) {
                any |= each.poll();
            }
            if (any) {
                since = System.nanoTime();
            }
            if (System.nanoTime() - start > ENDS_WITHIN) {
                throw new IllegalStateException("connected " + isConnected() + " and never quiet: " + topic);
            }
            LockSupport.parkNanos(PAUSE);
        }
    }

    private void drainUntil(long millis) throws PulsarClientException {
        while (System.currentTimeMillis() < millis) {
            for (DeliverySubscription each : subscriptions) {
                each.poll();
            }
            LockSupport.parkNanos(PAUSE);
        }
    }

    private boolean isConnected() {
        return single.isConnected()
                && batching.isConnected()
                && batchingByKey.isConnected()
                && subscriptions.stream().allMatch(DeliverySubscription::isConnected);
    }

    @Override
    public void close() throws PulsarClientException {
        for (DeliverySubscription each : subscriptions) {
            each.closeAll();
        }
        single.close();
        batching.close();
        batchingByKey.close();
    }
}
