package io.sluice.conformance;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.kafka.clients.consumer.ConsumerGroupMetadata;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.pulsar.client.api.CompressionType;
import org.apache.pulsar.client.api.MessageId;
import org.apache.pulsar.client.api.Producer;
import org.apache.pulsar.client.api.PulsarClient;
import org.apache.pulsar.client.api.PulsarClientException;
import org.apache.pulsar.client.api.transaction.Transaction;
import org.jspecify.annotations.Nullable;

/** Producers of a random history. Each method is one step; steps of one kind never run at the same time. */
final class HistoryWriters implements AutoCloseable {
    private static final int SECONDS = 90;
    /** Of a transaction that nobody ends. */
    private static final int TRANSACTION_SECONDS = 5;

    private static final int MOST = 12;
    private static final List<String> CODECS = List.of("none", "gzip", "snappy", "lz4", "zstd");

    private final SluiceServer server;
    private final PulsarClient client;
    private final HistoryBook book;
    private final Map<String, KafkaProducer<byte[], byte[]>> kafka = new HashMap<>();
    private final Map<String, Producer<byte[]>> pulsar = new HashMap<>();
    private @Nullable KafkaProducer<byte[], byte[]> transactional;
    private @Nullable Producer<byte[]> inTransactions;

    HistoryWriters(SluiceServer server, PulsarClient client, HistoryBook book) {
        this.server = server;
        this.client = client;
        this.book = book;
    }

    // ---- without transactions: the clients send again what was not answered, and it is there once

    void kafka(Random random) throws Exception {
        String codec = CODECS.get(random.nextInt(CODECS.size()));
        var producer =
                kafka.computeIfAbsent(codec, _ -> kafkaProducer(Map.of("compression.type", codec, "linger.ms", 5)));
        Map<HistoryMessage, Future<RecordMetadata>> sent = sendKafka(producer, "kafka-" + codec, random);
        for (var each : sent.entrySet()) {
            book.acknowledged(
                    each.getKey(),
                    each.getValue().get(SECONDS, TimeUnit.SECONDS).offset());
        }
    }

    private KafkaProducer<byte[], byte[]> kafkaProducer(Map<String, Object> more) {
        Map<String, Object> settings = new HashMap<>(more);
        settings.put("bootstrap.servers", server.kafka());
        settings.put("request.timeout.ms", 5_000);
        settings.put("reconnect.backoff.max.ms", 200);
        settings.put("retry.backoff.max.ms", 200);
        return new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer());
    }

    private Map<HistoryMessage, Future<RecordMetadata>> sendKafka(
            KafkaProducer<byte[], byte[]> producer, String writer, Random random) {
        Map<HistoryMessage, Future<RecordMetadata>> sent = new HashMap<>();
        for (int i = random.nextInt(MOST); i >= 0; i--) {
            HistoryMessage message = book.next(true, writer);
            sent.put(message, producer.send(message.record(book.topic)));
        }
        return sent;
    }

    void pulsar(Random random) throws Exception {
        CompressionType codec = CompressionType.values()[random.nextInt(CompressionType.values().length)];
        boolean batches = random.nextBoolean();
        String writer = "pulsar-" + codec + (batches ? "-batches" : "");
        Producer<byte[]> producer = pulsar.get(writer);
        if (producer == null) {
            producer = pulsarProducer(writer, codec, batches);
            pulsar.put(writer, producer);
        }
        Map<HistoryMessage, CompletableFuture<MessageId>> sent = new HashMap<>();
        for (int i = random.nextInt(MOST); i >= 0; i--) {
            HistoryMessage message = book.next(false, writer);
            var builder = producer.newMessage();
            message.fill(builder);
            sent.put(message, builder.sendAsync());
        }
        for (var each : sent.entrySet()) {
            MessageId id = each.getValue().get(SECONDS, TimeUnit.SECONDS);
            book.acknowledged(each.getKey(), HistoryBook.offset(id));
        }
    }

    private Producer<byte[]> pulsarProducer(String name, CompressionType codec, boolean batches)
            throws PulsarClientException {
        return client.newProducer()
                .topic(book.topic)
                .producerName(name)
                .compressionType(codec)
                .enableBatching(batches)
                .batchingMaxPublishDelay(5, TimeUnit.MILLISECONDS)
                .sendTimeout(0, TimeUnit.SECONDS)
                .create();
    }

    // ---- transactions

    /**
     * A transaction of a Kafka producer that moves a group, too.
     *
     * @param group of Kafka, or a Pulsar subscription
     * @param next its offset; null leaves it where it is
     */
    void kafkaTransaction(Random random, HistoryPosition group, @Nullable Long next) {
        List<HistoryMessage> messages = new ArrayList<>();
        boolean commit = random.nextInt(3) > 0;
        try {
            var producer = transactional();
            producer.beginTransaction();
            messages.addAll(sendKafka(producer, "kafka-transactions", random).keySet());
            if (next != null) {
                producer.sendOffsetsToTransaction(
                        Map.of(book.partition, new OffsetAndMetadata(next)), new ConsumerGroupMetadata(group.name()));
            }
            producer.flush(); // the client of 4.4 may end a transaction before it has sent the batches:
            // docs/client-faults.md
            if (commit) {
                producer.commitTransaction();
                messages.forEach(message -> book.acknowledged(message, -1));
            } else {
                producer.abortTransaction();
                book.aborted(messages);
            }
            if (next != null) {
                group.ended(next, commit);
            }
        } catch (RuntimeException e) {
            book.unsure(messages, committed -> {
                if (next != null) {
                    group.ended(next, committed);
                }
            });
            renew();
        }
    }

    private KafkaProducer<byte[], byte[]> transactional() {
        if (transactional == null) {
            var made = kafkaProducer(Map.of("transactional.id", book.topic, "linger.ms", 5));
            made.initTransactions();
            transactional = made;
        }
        return transactional;
    }

    /** Its transaction ends with the next one's start. */
    private void renew() {
        if (transactional != null) {
            transactional.close(Duration.ZERO);
            transactional = null;
        }
        transactional();
    }

    /** A transaction of a Pulsar client that acknowledges what it has received, too. */
    void pulsarTransaction(Random random, HistorySubscription input) throws Exception {
        List<HistoryMessage> messages = new ArrayList<>();
        boolean commit = random.nextInt(3) > 0;
        Transaction transaction;
        try {
            transaction = client.newTransaction()
                    .withTransactionTimeout(TRANSACTION_SECONDS, TimeUnit.SECONDS)
                    .build()
                    .get(SECONDS, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            return; // nothing was begun that has messages
        }
        List<Long> acknowledged = new ArrayList<>();
        try {
            List<CompletableFuture<?>> all = new ArrayList<>();
            if (inTransactions == null) {
                inTransactions = pulsarProducer("pulsar-transactions", CompressionType.NONE, true);
            }
            for (int i = random.nextInt(MOST); i >= 0; i--) {
                HistoryMessage message = book.next(false, "pulsar-transactions");
                messages.add(message);
                var builder = inTransactions.newMessage(transaction);
                message.fill(builder);
                all.add(builder.sendAsync());
            }
            all.addAll(input.acknowledgeIn(transaction, random, acknowledged));
            for (CompletableFuture<?> each : all) {
                each.get(SECONDS, TimeUnit.SECONDS);
            }
            (commit ? transaction.commit() : transaction.abort()).get(SECONDS, TimeUnit.SECONDS);
            if (commit) {
                messages.forEach(message -> book.acknowledged(message, -1));
            } else {
                book.aborted(messages);
            }
            input.ended(acknowledged, commit);
            if (!commit || random.nextBoolean()) {
                input.closeConsumer();
            }
        } catch (ExecutionException | TimeoutException | PulsarClientException e) {
            book.unsure(messages, committed -> input.ended(acknowledged, committed));
        }
    }

    @Override
    public void close() throws PulsarClientException {
        kafka.values().forEach(producer -> producer.close(Duration.ofSeconds(5)));
        if (transactional != null) {
            transactional.close(Duration.ofSeconds(5));
        }
        for (Producer<byte[]> producer : pulsar.values()) {
            producer.close();
        }
        if (inTransactions != null) {
            inTransactions.close();
        }
    }
}
