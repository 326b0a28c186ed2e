package io.sluice.pulsar.scripts;

import io.sluice.pulsar.scripts.FeatureSubscription.Told;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.UnaryOperator;
import org.apache.pulsar.client.admin.LongRunningProcessStatus.Status;
import org.apache.pulsar.client.admin.PulsarAdmin;
import org.apache.pulsar.client.api.BatcherBuilder;
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.client.api.ConsumerBuilder;
import org.apache.pulsar.client.api.DeadLetterPolicy;
import org.apache.pulsar.client.api.Message;
import org.apache.pulsar.client.api.MessageId;
import org.apache.pulsar.client.api.MessageIdAdv;
import org.apache.pulsar.client.api.Producer;
import org.apache.pulsar.client.api.PulsarClient;
import org.apache.pulsar.client.api.PulsarClientException;
import org.apache.pulsar.client.api.Reader;
import org.apache.pulsar.client.api.ReaderBuilder;
import org.apache.pulsar.client.api.SubscriptionType;
import org.apache.pulsar.client.api.TypedMessageBuilder;
import org.apache.pulsar.client.api.transaction.Transaction;
import org.apache.pulsar.client.impl.ChunkMessageIdImpl;
import org.apache.pulsar.client.impl.MultiplierRedeliveryBackoff;
import org.jspecify.annotations.Nullable;

/**
 * One random script of what {@link DeliveryScript} leaves out: messages in chunks and without a value, dead letters and the retry topic, a
 * back-off of refusals, a time-out of acknowledgements, Key_Shared consumers that come and go, transactions, compaction with its readers,
 * positions that are set over HTTP.
 */
final class FeatureScript implements Script {
    /** Begins the name of a step that sets a position over HTTP. */
    static final String RESET = "reset ";

    private static final int[] QUEUES = {1, 3, 1000};
    private static final int KEYS = 6;

    /** How often a message comes again before it is a dead letter. */
    static final int REDELIVERIES = 2;

    private static final long ENDS_WITHIN = TimeUnit.SECONDS.toNanos(60);
    private static final long PAUSE = TimeUnit.MILLISECONDS.toNanos(4);
    private static final int ACK_TIMEOUT_MILLIS = 1000;

    /** Until nothing comes behind a start or an unload: Pulsar first replays logs of transactions. */
    private static final int QUIET_AGAIN_MILLIS = 8000;

    private final PulsarClient client;
    private final PulsarAdmin admin;
    private final Random random;
    private final String topic;
    private final int quietMillis;
    private final int queue;
    private final boolean indexes;

    /**
     * Whether messages in chunks have keys; then nothing is compacted, since Pulsar leaves of the chunks of one message the last alone, and no
     * consumer gets it.
     */
    private final boolean keyedChunks;

    private final List<FeatureSubscription> subscriptions = new ArrayList<>();
    private final Producer<byte[]> single;
    private final Producer<byte[]> batching;
    private final Producer<byte[]> chunking;
    private final FeatureSubscription shared;
    private final FeatureSubscription retrying;
    private final FeatureSubscription inOrder;
    private final FeatureSubscription compacted;
    private final FeatureSubscription keyed;
    private final FeatureSubscription deadLetters;

    /** Ids of all that was sent; the index is the number. */
    private final List<MessageId> sent = new ArrayList<>();

    /** Times between two sends, in milliseconds since 1970. */
    private final List<Long> marks = new ArrayList<>();

    /** Whether a transaction has acknowledged: Pulsar does so again at its next start, whatever position was set since. */
    private boolean afterTransaction;

    private final List<String> answers = new ArrayList<>();

    /** @param run see {@link DeliveryScript} */
    FeatureScript(PulsarClient client, PulsarAdmin admin, String namespace, String run, long seed, int quietMillis)
            throws Exception {
        this.client = client;
        this.admin = admin;
        this.random = new Random(seed);
        this.quietMillis = quietMillis;
        this.topic = "persistent://" + namespace + "/" + run + "-" + seed;
        admin.topics().createNonPartitionedTopic(topic);
        single = client.newProducer().topic(topic).enableBatching(false).create();
        batching = client.newProducer()
                .topic(topic)
                .batcherBuilder(BatcherBuilder.KEY_BASED) // else a batch goes where its first key does
                .batchingMaxPublishDelay(1, TimeUnit.HOURS)
                .create();
        chunking = client.newProducer()
                .topic(topic)
                .enableBatching(false)
                .enableChunking(true)
                .chunkMaxMessageSize(FeatureMessages.CHUNK)
                .create();
        queue = QUEUES[random.nextInt(QUEUES.length)];
        indexes = random.nextBoolean();
        keyedChunks = random.nextBoolean();
        shared = add(
                "shared",
                Told.AS_A_SET,
                b -> deadLetters(b, REDELIVERIES)
                        .negativeAckRedeliveryBackoff(MultiplierRedeliveryBackoff.builder()
                                .minDelayMs(50)
                                .maxDelayMs(200)
                                .multiplier(2)
                                .build()));
        retrying =
                add("retrying", Told.AS_A_SET, b -> deadLetters(b, REDELIVERIES).enableRetry(true));
        inOrder = add(
                "in-order",
                Told.IN_ORDER,
                b -> b.subscriptionType(SubscriptionType.Failover).startMessageIdInclusive());
        compacted = add(
                "compacted",
                Told.IN_ORDER,
                b -> b.subscriptionType(SubscriptionType.Exclusive).readCompacted(true));
        keyed = add("keyed", Told.BY_KEY_WHEN_TAKEN, b -> b.subscriptionType(SubscriptionType.Key_Shared));
        deadLetters = new FeatureSubscription(client, topic + "-dead", "dead", Told.AS_A_SET, UnaryOperator.identity());
        subscriptions.add(deadLetters);
        for (FeatureSubscription each : subscriptions) {
            each.reopen();
        }
        answers.add("receiver queues of " + queue + (indexes ? ", batch indexes" : "")
                + (keyedChunks ? ", keyed chunks" : ""));
    }

    private FeatureSubscription add(String name, Told told, UnaryOperator<ConsumerBuilder<byte[]>> options) {
        FeatureSubscription made = new FeatureSubscription(
                client,
                topic,
                name,
                told,
                b -> options.apply(b.receiverQueueSize(queue).enableBatchIndexAcknowledgment(indexes)));
        subscriptions.add(made);
        return made;
    }

    private ConsumerBuilder<byte[]> deadLetters(ConsumerBuilder<byte[]> builder, int redeliveries) {
        return builder.subscriptionType(SubscriptionType.Shared)
                .negativeAckRedeliveryDelay(100, TimeUnit.MILLISECONDS)
                .deadLetterPolicy(DeadLetterPolicy.builder()
                        .maxRedeliverCount(redeliveries)
                        .deadLetterTopic(topic + "-dead")
                        .retryLetterTopic(topic + "-retry")
                        .build());
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
        answer(DeliveryScript.COMING_AGAIN.getFirst() + inPart(), "done", QUIET_AGAIN_MILLIS);
    }

    @Override
    public void finish() throws Exception {
        takeAll();
        for (FeatureSubscription each : subscriptions) {
            each.reopen();
        }
        answer("at last new consumers", "done", quietMillis);
        takeAll();
    }

    private void step() throws Exception {
        int what = random.nextInt(100);
        int many = 1 + random.nextInt(5);
        int nth = random.nextInt(1000);
        int place = random.nextInt(FeatureSubscription.PLACES);
        boolean flag = random.nextBoolean();
        if (what < 16) {
            answer("send " + many, Outcome.of(() -> send(single, many, 1)));
        } else if (what < 28) {
            answer("send a batch of " + many, Outcome.of(() -> send(batching, many, 1)));
        } else if (what < 36) {
            answer("send one in chunks, " + many, Outcome.of(() -> send(chunking, 1, many)));
        } else if (what < 44) {
            answer("shared acknowledges", Outcome.of(() -> acknowledge(shared, nth, many, null)));
        } else if (what < 53) {
            answer("shared refuses", Outcome.of(() -> shared.refuse(nth)), quietMillis + 500);
        } else if (what < 57) {
            answer("retrying wants it later", Outcome.of(() -> retrying.later(nth)), quietMillis + 500);
        } else if (what < 62) {
            FeatureSubscription s = flag ? inOrder : compacted;
            answer(s.name() + " acknowledges up to", Outcome.of(() -> s.acknowledgeUpTo(nth)));
        } else if (what < 67 && !keyedChunks) {
            answer("compact", Outcome.of(this::compact));
        } else if (what < 72) {
            answer(
                    "a compacted reader from " + (place == 0 ? "the first" : nth),
                    Outcome.of(() -> read(nth, place, flag)));
        } else if (what < 80) {
            seek(flag ? inOrder : compacted, nth, place);
        } else if (what < 84) {
            reset(flag && !afterTransaction ? shared : inOrder, nth, place);
        } else if (what < 88) {
            answer("keyed consumer " + place, Outcome.of(() -> flag ? keyed.subscribe(place) : keyed.close(place)));
        } else if (what < 91) {
            takeAll();
        } else if (what < 94) {
            transaction(nth, many, flag);
        } else if (what < 95) {
            timeOut();
        } else if (what < 97) {
            fromHttp(nth);
        } else if (what < 98) {
            String outcome = Outcome.of(() -> {
                admin.topics().unload(topic);
                return null;
            });
            answer(DeliveryScript.COMING_AGAIN.getLast() + inPart(), outcome, QUIET_AGAIN_MILLIS);
        } else {
            FeatureSubscription s = flag ? shared : inOrder;
            String outcome = Outcome.of(() -> {
                admin.topics().skipAllMessages(topic, s.name());
                return null;
            });
            answer("clear " + s.name(), outcome);
            answer(s.name() + " has a new consumer", Outcome.of(s::reopen));
        }
    }

    private String inPart() {
        Map<String, List<String>> values = new LinkedHashMap<>();
        subscriptions.forEach(each -> values.put(each.name(), each.partlyAcknowledged()));
        return PartlyAcknowledged.text(values);
    }

    /** Most have keys, and some of these no value. */
    private @Nullable Object send(Producer<byte[]> producer, int many, int chunks) throws Exception {
        return send(producer, many, chunks, null);
    }

    private @Nullable Object send(Producer<byte[]> producer, int many, int chunks, @Nullable Transaction in)
            throws Exception {
        LockSupport.parkNanos(PAUSE);
        marks.add(System.currentTimeMillis());
        LockSupport.parkNanos(PAUSE);
        List<CompletableFuture<MessageId>> sends = new ArrayList<>();
        for (int i = 0; i < many; i++) {
            int number = sent.size() + i;
            int drawn = random.nextInt(KEYS + 1);
            int key = producer == chunking && !keyedChunks ? KEYS : drawn;
            boolean empty = producer != chunking && key < KEYS && random.nextInt(6) == 0;
            TypedMessageBuilder<byte[]> message = in == null ? producer.newMessage() : producer.newMessage(in);
            message.property(FeatureMessages.NUMBER, Integer.toString(number));
            if (!empty) {
                message.value(FeatureMessages.value(number, chunks));
            }
            if (key < KEYS) {
                message.key("k" + key);
            }
            sends.add(message.sendAsync());
        }
        flush(producer, sends, in != null);
        for (CompletableFuture<MessageId> each : sends) {
            sent.add(each.get(20, TimeUnit.SECONDS));
        }
        return null;
    }

    /** @param again since a message of a transaction gets to the batch only when the transaction knows the topic */
    private static void flush(Producer<byte[]> producer, List<CompletableFuture<MessageId>> sends, boolean again)
            throws PulsarClientException {
        long start = System.nanoTime();
        do {
            producer.flush();
            LockSupport.parkNanos(PAUSE);
        } while (again
                && !sends.stream().allMatch(CompletableFuture::isDone)
                && System.nanoTime() - start < ENDS_WITHIN);
    }

    private static Object acknowledge(FeatureSubscription s, int nth, int many, @Nullable Transaction in)
            throws Exception {
        List<Object> numbers = new ArrayList<>();
        for (int i = 0; i < many; i++) {
            numbers.add(s.acknowledge(nth, in));
        }
        return numbers;
    }

    private Object compact() throws Exception {
        admin.topics().triggerCompaction(topic);
        long start = System.nanoTime();
        while (System.nanoTime() - start < ENDS_WITHIN) {
            Status status = admin.topics().compactionStatus(topic).status;
            if (status == Status.NOT_RUN) {
                // Pulsar skips one while the topic is locked, and answers as if it did it
                admin.topics().triggerCompaction(topic);
            } else if (status != Status.RUNNING) {
                return status;
            }
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(50));
        }
        return "still running";
    }

    private Object read(int nth, int place, boolean inclusive) throws Exception {
        MessageId from = sent.isEmpty() || place == 0 ? MessageId.earliest : sent.get(nth % sent.size());
        ReaderBuilder<byte[]> builder =
                client.newReader().topic(topic).readCompacted(true).startMessageId(from);
        List<String> texts = new ArrayList<>();
        try (Reader<byte[]> reader =
                inclusive ? builder.startMessageIdInclusive().create() : builder.create()) {
            while (reader.hasMessageAvailable()) {
                Message<byte[]> m = reader.readNext(5, TimeUnit.SECONDS);
                texts.add(m == null ? "nothing" : FeatureMessages.text(m));
                if (m == null) {
                    break;
                }
            }
        }
        return (inclusive ? "with it " : "") + texts;
    }

    private void seek(FeatureSubscription s, int nth, int place) throws Exception {
        Consumer<byte[]> consumer = s.first();
        if (consumer == null || sent.isEmpty()) {
            return;
        }
        int message = nth % sent.size();
        int mark = nth % marks.size();
        String where = "to " + (place == 0 ? "the first" : place == 1 ? message : "time " + mark);
        s.moves(sent, place == 1 ? message : -1);
        String outcome = Outcome.of(() -> {
            CompletableFuture<Void> seek = place == 2
                    ? consumer.seekAsync(marks.get(mark))
                    : consumer.seekAsync(place == 0 ? MessageId.earliest : sent.get(message));
            return seek.get(20, TimeUnit.SECONDS);
        });
        answer(s.name() + " seeks " + where, outcome, quietMillis * 3);
    }

    private void reset(FeatureSubscription s, int nth, int place) throws Exception {
        if (sent.isEmpty()) {
            return;
        }
        int message = nth % sent.size();
        int mark = nth % marks.size();
        String where = place == 0 ? "behind " + message : place == 1 ? "to " + message : "to time " + mark;
        String before = PartlyAcknowledged.text(Map.of(s.name(), s.partlyAcknowledged()));
        s.moves(sent, place == 2 ? -1 : message);
        String outcome = Outcome.of(() -> {
            if (place == 2) {
                admin.topics().resetCursor(topic, s.name(), marks.get(mark));
            } else {
                admin.topics().resetCursor(topic, s.name(), sent.get(message), place == 0);
            }
            return null;
        });
        answer(RESET + s.name() + " " + where + before, outcome, quietMillis * 3);
        answer(s.name() + " has a new consumer", Outcome.of(s::reopen));
    }

    /** All that its consumers hold and get is acknowledged, until nothing comes any more. */
    private void takeAll() throws Exception {
        if (keyed.first() == null) {
            keyed.subscribe(0);
        }
        drain(quietMillis);
        while (keyed.takeHeld()) {
            drain(quietMillis);
        }
        answers.add("keyed takes all: " + keyed.taken());
        answer("others meanwhile", "done", 0);
    }

    private void transaction(int nth, int many, boolean commit) throws Exception {
        Transaction in = client.newTransaction()
                .withTransactionTimeout(1, TimeUnit.MINUTES)
                .build()
                .get(20, TimeUnit.SECONDS);
        Producer<byte[]> producer = nth % 2 == 0 ? single : batching;
        answer("send " + many + " in a transaction", Outcome.of(() -> send(producer, many, 1, in)));
        answer("shared acknowledges in it", Outcome.of(() -> acknowledge(shared, nth, many, in)));
        afterTransaction = true;
        String outcome = Outcome.of(() -> (commit ? in.commit() : in.abort()).get(20, TimeUnit.SECONDS));
        shared.ended(commit);
        answer(commit ? "commit" : "abort", outcome, quietMillis * 2);
    }

    /** What is not acknowledged in time comes once more, and goes to the dead letters. */
    private void timeOut() throws Exception {
        String name = "forgetful-" + sent.size();
        FeatureSubscription s = new FeatureSubscription(
                client,
                topic,
                name,
                Told.AS_A_SET,
                b -> deadLetters(b, 1)
                        .enableBatchIndexAcknowledgment(indexes)
                        .ackTimeout(ACK_TIMEOUT_MILLIS, TimeUnit.MILLISECONDS));
        temporary(s, "a forgetful consumer", quietMillis + 2 * ACK_TIMEOUT_MILLIS);
    }

    private void fromHttp(int nth) throws Exception {
        // the admin client cannot write ids of messages in chunks, and Pulsar begins at the whole batch
        List<MessageId> whole = sent.stream()
                .filter(id -> !(id instanceof ChunkMessageIdImpl) && ((MessageIdAdv) id).getBatchIndex() <= 0)
                .toList();
        if (whole.isEmpty()) {
            return;
        }
        String name = "made-" + sent.size();
        MessageId to = whole.get(nth % whole.size());
        int from = sent.indexOf(to);
        admin.topics().createSubscription(topic, name, to);
        FeatureSubscription s = new FeatureSubscription(client, topic, name, Told.IN_ORDER, UnaryOperator.identity());
        temporary(s, "a subscription made over HTTP at " + from, quietMillis);
    }

    private void temporary(FeatureSubscription s, String step, int quiet) throws Exception {
        subscriptions.add(s);
        String outcome = Outcome.of(s::reopen);
        answer(step, outcome, quiet);
        s.closeAll();
        subscriptions.remove(s);
        admin.topics().deleteSubscription(topic, s.name());
    }

    private void answer(String step, String outcome) throws Exception {
        answer(step, outcome, quietMillis);
    }

    private void answer(String step, String outcome, int quiet) throws Exception {
        drain(answers.size() == 1 ? quiet * 3 : quiet); // the first messages of a topic take longer
        StringBuilder text = new StringBuilder(step + ": " + outcome);
        for (FeatureSubscription each : subscriptions) {
            String got = each.told();
            if (!got.equals("[]")) {
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
            for (FeatureSubscription each : subscriptions) {
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

    private boolean isConnected() {
        return single.isConnected()
                && batching.isConnected()
                && chunking.isConnected()
                && subscriptions.stream().allMatch(FeatureSubscription::isConnected);
    }

    @Override
    public void close() throws PulsarClientException {
        for (FeatureSubscription each : subscriptions) {
            each.closeAll();
        }
        single.close();
        batching.close();
        chunking.close();
    }
}
