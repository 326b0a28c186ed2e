package io.sluice.pulsar.scripts;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.client.api.Message;
import org.apache.pulsar.client.api.MessageId;
import org.apache.pulsar.client.api.Producer;
import org.apache.pulsar.client.api.PulsarClient;
import org.apache.pulsar.client.api.PulsarClientException;
import org.apache.pulsar.client.api.Reader;
import org.apache.pulsar.client.api.SubscriptionInitialPosition;
import org.apache.pulsar.client.api.SubscriptionType;
import org.apache.pulsar.client.api.transaction.Transaction;
import org.apache.pulsar.client.api.transaction.TransactionCoordinatorClient;
import org.apache.pulsar.client.api.transaction.TxnID;
import org.apache.pulsar.client.impl.PulsarClientImpl;
import org.jspecify.annotations.Nullable;

/**
 * One random script, step by step: what is done depends on the seed alone, what comes of it is the answer. Transactions are also ended
 * twice, in the other way, and used when they are over; unknown ones are ended, too.
 */
final class TransactionScript implements AutoCloseable {
    private static final int SLOTS = 3;
    private static final int TOPICS = 2;

    /** How long a consumer waits until it says that there is nothing. */
    private static final int QUIET_MILLIS = 250;

    private final PulsarClient client;
    private final Random random;
    private final String topic;
    private final List<Producer<byte[]>> producers = new ArrayList<>();
    private final List<Reading> consumers = new ArrayList<>();
    private final @Nullable Transaction[] slots = new Transaction[SLOTS];
    private final Reader<byte[]> reader;
    private int sent;

    private static final class Reading {
        private final Consumer<byte[]> consumer;
        private final boolean ordered;
        private final List<Message<byte[]>> held = new ArrayList<>();

        Reading(Consumer<byte[]> consumer, boolean ordered) {
            this.consumer = consumer;
            this.ordered = ordered;
        }
    }

    /** @param prefix of topics that nobody else uses */
    TransactionScript(PulsarClient client, long seed, String prefix) throws PulsarClientException {
        this.client = client;
        this.random = new Random(seed);
        this.topic = "persistent://public/default/" + prefix + "-" + seed + "-";
        for (int t = 0; t < TOPICS; t++) {
            producers.add(
                    client.newProducer().topic(topic + t).enableBatching(false).create());
            consumers.add(new Reading(subscribe(t, "in-order", SubscriptionType.Exclusive), true));
            consumers.add(new Reading(subscribe(t, "shared", SubscriptionType.Shared), false));
        }
        reader = client.newReader()
                .topic(topic + 0)
                .startMessageId(MessageId.earliest)
                .create();
    }

    private Consumer<byte[]> subscribe(int t, String name, SubscriptionType type) throws PulsarClientException {
        return client.newConsumer()
                .topic(topic + t)
                .subscriptionName(name)
                .subscriptionType(type)
                // Else it depends on the time which of two acknowledgements comes first.
                .acknowledgmentGroupTime(0, TimeUnit.MILLISECONDS)
                .subscriptionInitialPosition(SubscriptionInitialPosition.Earliest)
                .subscribe();
    }

    /** What each step came to. */
    List<String> run(int steps) {
        List<String> answers = new ArrayList<>();
        for (int i = 0; i < steps; i++) {
            answers.add(step());
        }
        for (int s = 0; s < SLOTS; s++) {
            int slot = s;
            answers.add("at last abort " + slot + ": " + Outcome.of(() -> abort(slot)));
        }
        for (int c = 0; c < consumers.size(); c++) {
            answers.add("at last consumer " + c + " gets " + receive(consumers.get(c)));
        }
        return answers;
    }

    private String step() {
        int what = random.nextInt(100);
        int slot = random.nextInt(SLOTS);
        int t = random.nextInt(TOPICS);
        int which = random.nextInt(consumers.size());
        int nth = random.nextInt(4);
        Reading reading = consumers.get(which);
        if (what < 18) {
            return "begin " + slot + ": " + Outcome.of(() -> begin(slot));
        } else if (what < 40) {
            return "send to " + t + " in " + slot + ": " + Outcome.of(() -> send(t, slots[slot]));
        } else if (what < 46) {
            return "send to " + t + ": " + Outcome.of(() -> send(t, null));
        } else if (what < 54) {
            return "commit " + slot + ": " + Outcome.of(() -> commit(slot));
        } else if (what < 60) {
            return "abort " + slot + ": " + Outcome.of(() -> abort(slot));
        } else if (what < 64) {
            return "coordinator commits " + slot + ": " + Outcome.of(() -> end(slot, true));
        } else if (what < 67) {
            return "coordinator aborts " + slot + ": " + Outcome.of(() -> end(slot, false));
        } else if (what < 69) {
            TxnID unknown = new TxnID(0, 1L << 40);
            return "coordinator commits an unknown one: "
                    + Outcome.of(() -> coordinator().commitAsync(unknown).get());
        } else if (what < 80) {
            return "consumer " + which + " gets " + receive(reading);
        } else if (what < 90) {
            return "consumer " + which + " acknowledges " + nth + " in " + slot + ": "
                    + Outcome.of(() -> ack(reading, nth, slots[slot], false));
        } else if (what < 94) {
            return "consumer " + which + " acknowledges up to " + nth + " in " + slot + ": "
                    + Outcome.of(() -> reading.ordered ? ack(reading, nth, slots[slot], true) : "not in order");
        } else if (what < 97) {
            return "consumer " + which + " acknowledges " + nth + ": "
                    + Outcome.of(() -> ack(reading, nth, null, false));
        }
        return "the reader has more: " + Outcome.of(reader::hasMessageAvailable);
    }

    private @Nullable Object begin(int slot) throws Exception {
        Transaction before = slots[slot];
        if (before != null && before.getState() == Transaction.State.OPEN) {
            return "is open";
        }
        slots[slot] = client.newTransaction()
                .withTransactionTimeout(5, TimeUnit.MINUTES)
                .build()
                .get(20, TimeUnit.SECONDS);
        return null;
    }

    private @Nullable Object send(int t, @Nullable Transaction in) throws Exception {
        byte[] value = Integer.toString(sent++).getBytes(UTF_8);
        Producer<byte[]> producer = producers.get(t);
        (in == null ? producer.newMessage() : producer.newMessage(in))
                .value(value)
                .sendAsync()
                .get(20, TimeUnit.SECONDS);
        return null;
    }

    private @Nullable Object commit(int slot) throws Exception {
        Transaction in = slots[slot];
        return in == null ? "none" : in.commit().get(20, TimeUnit.SECONDS);
    }

    private @Nullable Object abort(int slot) throws Exception {
        Transaction in = slots[slot];
        return in == null ? "none" : in.abort().get(20, TimeUnit.SECONDS);
    }

    private TransactionCoordinatorClient coordinator() {
        return ((PulsarClientImpl) client).getTcClient();
    }

    /** Behind the back of the client's transaction. */
    private @Nullable Object end(int slot, boolean commit) throws Exception {
        Transaction in = slots[slot];
        if (in == null) {
            return "none";
        }
        return (commit
                        ? coordinator().commitAsync(in.getTxnID())
                        : coordinator().abortAsync(in.getTxnID()))
                .get(20, TimeUnit.SECONDS);
    }

    private static String receive(Reading reading) {
        List<Integer> values = new ArrayList<>();
        String end = Outcome.of(() -> {
            for (Message<byte[]> m = next(reading); m != null; m = next(reading)) {
                values.add(Integer.parseInt(new String(m.getData(), UTF_8)));
                reading.held.add(m);
            }
            return null;
        });
        if (!reading.ordered) {
            values.sort(null);
        }
        return values + (end.equals("done") ? "" : " " + end);
    }

    private static @Nullable Message<byte[]> next(Reading reading) throws PulsarClientException {
        return reading.consumer.receive(QUIET_MILLIS, TimeUnit.MILLISECONDS);
    }

    private static @Nullable Object ack(Reading reading, int nth, @Nullable Transaction in, boolean upTo)
            throws Exception {
        if (reading.held.isEmpty()) {
            return "nothing held";
        }
        MessageId id = reading.held.get(nth % reading.held.size()).getMessageId();
        if (in == null) {
            reading.consumer.acknowledgeAsync(id).get(20, TimeUnit.SECONDS);
        } else if (upTo) {
            reading.consumer.acknowledgeCumulativeAsync(id, in).get(20, TimeUnit.SECONDS);
        } else {
            reading.consumer.acknowledgeAsync(id, in).get(20, TimeUnit.SECONDS);
        }
        return null;
    }

    @Override
    public void close() throws IOException {
        reader.close();
        for (Reading reading : consumers) {
            reading.consumer.close();
        }
        for (Producer<byte[]> producer : producers) {
            producer.close();
        }
    }
}
