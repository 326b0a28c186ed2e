package io.sluice.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.conformance.clients.KafkaSide;
import io.sluice.conformance.clients.PulsarClients;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.ConsumerGroupMetadata;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.client.api.Message;
import org.apache.pulsar.client.api.MessageId;
import org.apache.pulsar.client.api.Producer;
import org.apache.pulsar.client.api.PulsarClient;
import org.apache.pulsar.client.api.Reader;
import org.apache.pulsar.client.api.Schema;
import org.apache.pulsar.client.api.SubscriptionInitialPosition;
import org.apache.pulsar.client.api.SubscriptionType;
import org.apache.pulsar.client.api.transaction.Transaction;

/**
 * Transactions of both protocols that were committed, aborted, and left open under the kill: these end by their time-out before the day
 * after, on which a stored folder is looked at.
 */
final class StoredTransactions implements StoredPart {
    private static final TopicPartition RECORDS = new TopicPartition("stored-transactions", 0);
    private static final String GROUP = "stored-transactional-group";
    private static final String MESSAGES = "persistent://public/default/stored-transactional";
    private static final String ACKNOWLEDGED = "persistent://public/default/stored-pending";
    private static final String SUBSCRIPTION = "pending";
    private static final int EACH = 10;
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    /** Longer than it takes to write a folder. */
    private static final int TIMEOUT_MINUTES = 10;

    private static final List<String> COMMITTED = List.of("first", "with offsets", "behind checkpoints");

    private final SluiceServer server;
    private final KafkaSide kafka;

    StoredTransactions(SluiceServer server) {
        this.server = server;
        this.kafka = new KafkaSide(server.kafka());
    }

    @Override
    public void write() throws Exception {
        kafka.create(RECORDS.topic(), 1);
        try (KafkaProducer<String, String> producer = producer("stored-id")) {
            send(producer, COMMITTED.get(0));
            producer.commitTransaction();
            send(producer, "aborted");
            producer.abortTransaction();
            send(producer, COMMITTED.get(1));
            sendOffset(producer, 3);
            producer.commitTransaction();
        }
        // Closed at once, it leaves its transaction open.
        KafkaProducer<String, String> left = producer("stored-open");
        send(left, "open");
        sendOffset(left, 5);
        left.close(Duration.ZERO);

        try (PulsarClient client = client()) {
            send(client, COMMITTED.get(0)).commit().get();
            send(client, "aborted").abort().get();
            send(client, COMMITTED.get(1)).commit().get();
            send(client, "open");
            acknowledge(client);
        }
    }

    @Override
    public void writeBehindCheckpoints() throws Exception {
        try (KafkaProducer<String, String> producer = producer("stored-id")) {
            send(producer, COMMITTED.get(2));
            producer.commitTransaction();
        }
        try (PulsarClient client = client()) {
            send(client, COMMITTED.get(2)).commit().get();
        }
    }

    private KafkaProducer<String, String> producer(String id) {
        KafkaProducer<String, String> producer = kafka.producer(Map.of(
                "transactional.id", id, "transaction.timeout.ms", (int) TimeUnit.MINUTES.toMillis(TIMEOUT_MINUTES)));
        producer.initTransactions();
        return producer;
    }

    private static void send(KafkaProducer<String, String> producer, String name) {
        producer.beginTransaction();
        for (String value : values(name)) {
            producer.send(new ProducerRecord<>(RECORDS.topic(), RECORDS.partition(), "key", value));
        }
        producer.flush();
    }

    private static List<String> values(String name) {
        return IntStream.range(0, EACH).mapToObj(n -> name + " " + n).toList();
    }

    private static void sendOffset(KafkaProducer<String, String> producer, long offset) {
        producer.sendOffsetsToTransaction(
                Map.of(RECORDS, new OffsetAndMetadata(offset)), new ConsumerGroupMetadata(GROUP));
    }

    private PulsarClient client() throws Exception {
        return PulsarClients.builder(server.pulsar()).enableTransaction(true).build();
    }

    private static Transaction begin(PulsarClient client) throws Exception {
        return client.newTransaction()
                .withTransactionTimeout(TIMEOUT_MINUTES, TimeUnit.MINUTES)
                .build()
                .get();
    }

    /** All is stored when it returns. */
    private static Transaction send(PulsarClient client, String name) throws Exception {
        Transaction transaction = begin(client);
        try (Producer<String> producer = client.newProducer(Schema.STRING)
                .topic(MESSAGES)
                .sendTimeout(0, TimeUnit.SECONDS)
                .create()) {
            List<CompletableFuture<MessageId>> sent = new ArrayList<>();
            for (String value : values(name)) {
                sent.add(producer.newMessage(transaction).value(value).sendAsync());
            }
            producer.flush();
            CompletableFuture.allOf(sent.toArray(CompletableFuture[]::new)).get();
        }
        return transaction;
    }

    /** The first four are acknowledged, the next three and the next two in an aborted transaction and in an open one. */
    private static void acknowledge(PulsarClient client) throws Exception {
        try (Consumer<String> consumer = consumer(client);
                Producer<String> producer =
                        client.newProducer(Schema.STRING).topic(ACKNOWLEDGED).create()) {
            for (String value : values("plain")) {
                producer.send(value);
            }
            acknowledge(consumer, begin(client), 4).commit().get();
            acknowledge(consumer, begin(client), 3).abort().get();
            acknowledge(consumer, begin(client), 2);
        }
    }

    private static Transaction acknowledge(Consumer<String> consumer, Transaction transaction, int messages)
            throws Exception {
        for (int n = 0; n < messages; n++) {
            consumer.acknowledgeAsync(receive(consumer).getMessageId(), transaction)
                    .get();
        }
        return transaction;
    }

    private static Consumer<String> consumer(PulsarClient client) throws Exception {
        return client.newConsumer(Schema.STRING)
                .topic(ACKNOWLEDGED)
                .subscriptionName(SUBSCRIPTION)
                .subscriptionType(SubscriptionType.Shared)
                .subscriptionInitialPosition(SubscriptionInitialPosition.Earliest)
                .subscribe();
    }

    private static Message<String> receive(Consumer<String> consumer) throws Exception {
        Message<String> message = consumer.receive((int) PATIENCE.toSeconds(), TimeUnit.SECONDS);
        assertThat(message).as("a message within " + PATIENCE).isNotNull();
        return message;
    }

    @Override
    public void check() throws Exception {
        new OpenTransactions(server.kafka()).awaitNone(PATIENCE);
        List<String> committed =
                COMMITTED.stream().flatMap(name -> values(name).stream()).toList();
        List<String> read = new ArrayList<>();
        new KafkaCommittedReader(server.kafka(), RECORDS.topic(), (_, value) -> read.add(value)).readToTheEnd();
        assertThat(read).isEqualTo(committed);
        try (KafkaConsumer<String, String> consumer = kafka.consumer(Map.of("group.id", GROUP))) {
            assertThat(consumer.committed(Set.of(RECORDS)).get(RECORDS)).isEqualTo(new OffsetAndMetadata(3));
        }
        try (PulsarClient client = client()) {
            checkMessages(client, committed);
            checkAcknowledged(client);
        }
    }

    private static void checkMessages(PulsarClient client, List<String> committed) throws Exception {
        try (Reader<String> reader = client.newReader(Schema.STRING)
                .topic(MESSAGES)
                .startMessageId(MessageId.earliest)
                .create()) {
            List<String> read = new ArrayList<>();
            while (read.size() < committed.size()) {
                read.add(reader.readNext((int) PATIENCE.toSeconds(), TimeUnit.SECONDS)
                        .getValue());
            }
            assertThat(read).isEqualTo(committed);
            assertThat(reader.hasMessageAvailable()).isFalse();
        }
    }

    private static void checkAcknowledged(PulsarClient client) throws Exception {
        try (Consumer<String> consumer = consumer(client)) {
            List<String> left = new ArrayList<>();
            while (left.size() < EACH - 4) {
                left.add(receive(consumer).getValue());
            }
            assertThat(left).containsExactlyInAnyOrderElementsOf(values("plain").subList(4, EACH));
        }
    }
}
