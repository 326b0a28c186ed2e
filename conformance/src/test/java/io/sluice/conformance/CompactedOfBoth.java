package io.sluice.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.conformance.clients.KafkaSide;
import io.sluice.conformance.clients.PulsarClients;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.pulsar.client.admin.LongRunningProcessStatus.Status;
import org.apache.pulsar.client.admin.PulsarAdmin;
import org.apache.pulsar.client.api.CompressionType;
import org.apache.pulsar.client.api.Message;
import org.apache.pulsar.client.api.MessageId;
import org.apache.pulsar.client.api.Producer;
import org.apache.pulsar.client.api.PulsarClient;
import org.apache.pulsar.client.api.Reader;
import org.apache.pulsar.client.api.transaction.Transaction;
import org.jspecify.annotations.Nullable;

/**
 * Messages of both protocols under the same keys, in batches of several codecs, some in transactions, on a topic that is compacted. With Pulsar's
 * compaction who asks for it finds the newest of each key at its offset, everybody else finds everything; with {@code cleanup.policy=compact}
 * everybody finds the newest, tombstones too.
 */
final class CompactedOfBoth {
    private static final Duration SOON = Duration.ofSeconds(60);
    private static final List<String> CODECS = List.of("none", "gzip", "snappy", "lz4", "zstd");
    private static final int OF_A_BATCH = 8;

    private final SluiceServer server;
    private final boolean inItsLog;
    private final HistoryBook book;
    private final NavigableMap<Long, HistoryMessage> all = new TreeMap<>();
    /** By key, where the newest message is. */
    private final Map<String, Long> newest = new HashMap<>();

    private CompactedOfBoth(SluiceServer server, long seed, String topic, boolean inItsLog) {
        this.server = server;
        this.inItsLog = inItsLog;
        this.book = new HistoryBook(server, seed, topic);
    }

    /** A topic with a compacted view for Pulsar's readers. */
    static CompactedOfBoth withView(SluiceServer server) throws Exception {
        var made = new CompactedOfBoth(server, 12, "compacted-of-both", false);
        new KafkaSide(server.kafka()).create(made.book.topic, 1);
        made.write();
        try (PulsarAdmin admin =
                PulsarAdmin.builder().serviceHttpUrl(server.http()).build()) {
            String partition = made.book.topic + "-partition-0";
            admin.topics().triggerCompaction(partition);
            await().atMost(SOON).until(() -> admin.topics().compactionStatus(partition).status == Status.SUCCESS);
        }
        return made;
    }

    /** A topic of which nothing else is left; both protocols' transactions have written to it, too. */
    static CompactedOfBoth inItsLog(SluiceServer server) throws Exception {
        var made = new CompactedOfBoth(server, 13, "cleaned-of-both", true);
        var topic = new NewTopic(made.book.topic, 1, (short) 1);
        try (Admin admin = new KafkaSide(server.kafka()).admin()) {
            KafkaSide.get(admin.createTopics(List.of(
                            topic.configs(Map.of("cleanup.policy", "compact", "min.cleanable.dirty.ratio", "0"))))
                    .all());
        }
        made.write();
        made.writeInTransactions();
        await().atMost(SOON).until(() -> made.book.readKafka().keySet().equals(made.left()));
        made.writeLast();
        return made;
    }

    private void write() throws Exception {
        try (PulsarClient client = PulsarClients.builder(server.pulsar()).build()) {
            for (int i = 0; i < CODECS.size(); i++) {
                writeByKafka(CODECS.get(i), OF_A_BATCH);
                writeByPulsar(client, CompressionType.values()[i], OF_A_BATCH, null, true);
            }
        }
    }

    private void writeByKafka(String codec, int count) throws Exception {
        Map<String, Object> settings =
                Map.of("bootstrap.servers", server.kafka(), "compression.type", codec, "linger.ms", 50);
        try (var producer = new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer())) {
            writeByKafka(producer, codec, count, true);
        }
    }

    /** @param counts whether it is committed */
    private void writeByKafka(KafkaProducer<byte[], byte[]> producer, String writer, int count, boolean counts)
            throws Exception {
        Map<HistoryMessage, Future<RecordMetadata>> sent = new HashMap<>();
        while (sent.size() < count) {
            HistoryMessage message = book.next(true, writer);
            if (message.inKafka().key() != null) {
                sent.put(message, producer.send(message.record(book.topic)));
            }
        }
        for (var each : sent.entrySet()) {
            written(each.getKey(), each.getValue().get(30, TimeUnit.SECONDS).offset(), counts);
        }
    }

    /**
     * @param transaction null if it is in none
     * @param counts whether it is committed
     */
    private void writeByPulsar(
            PulsarClient client, CompressionType codec, int count, @Nullable Transaction transaction, boolean counts)
            throws Exception {
        try (Producer<byte[]> producer = client.newProducer()
                .topic(book.topic)
                .compressionType(codec)
                .sendTimeout(0, TimeUnit.SECONDS)
                .batchingMaxPublishDelay(50, TimeUnit.MILLISECONDS)
                .create()) {
            Map<HistoryMessage, CompletableFuture<MessageId>> sent = new HashMap<>();
            while (sent.size() < count) {
                HistoryMessage message = book.next(false, codec.name());
                if (message.inKafka().key() != null) {
                    var builder = transaction == null ? producer.newMessage() : producer.newMessage(transaction);
                    message.fill(builder);
                    sent.put(message, builder.sendAsync());
                }
            }
            for (var each : sent.entrySet()) {
                written(each.getKey(), HistoryBook.offset(each.getValue().get(30, TimeUnit.SECONDS)), counts);
            }
        }
    }

    /** A message under a key of its own, so that no backlog ends with markers, which count until a consumer has stayed to read them. */
    private void writeLast() throws Exception {
        Map<String, Object> settings = Map.of("bootstrap.servers", server.kafka());
        try (var producer = new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer())) {
            HistoryMessage last = book.nextUnder("last", "kafka");
            written(
                    last,
                    producer.send(last.record(book.topic))
                            .get(30, TimeUnit.SECONDS)
                            .offset(),
                    true);
        }
    }

    private void written(HistoryMessage message, long offset, boolean counts) {
        if (!counts) {
            return;
        }
        all.put(offset, message);
        newest.merge(String.valueOf(message.inKafka().key()), offset, Math::max);
    }

    /** One transaction of each protocol that is committed, and one that is not: its messages are as if they were never sent. */
    private void writeInTransactions() throws Exception {
        for (boolean commit : List.of(true, false)) {
            Map<String, Object> settings =
                    Map.of("bootstrap.servers", server.kafka(), "transactional.id", "of-both", "linger.ms", 50);
            try (var producer = new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer())) {
                producer.initTransactions();
                producer.beginTransaction();
                writeByKafka(producer, "kafka-transaction", OF_A_BATCH, commit);
                if (commit) {
                    producer.commitTransaction();
                } else {
                    producer.abortTransaction();
                }
            }
            try (PulsarClient client = PulsarClients.builder(server.pulsar())
                    .enableTransaction(true)
                    .build()) {
                Transaction transaction = client.newTransaction().build().get(30, TimeUnit.SECONDS);
                writeByPulsar(client, CompressionType.LZ4, OF_A_BATCH, transaction, commit);
                (commit ? transaction.commit() : transaction.abort()).get(30, TimeUnit.SECONDS);
            }
        }
    }

    /** Who asks for the compacted view finds the newest of each key, but for those deleted; everybody else finds everything that is left. */
    void check() throws Exception {
        assertThat(newest).hasSizeLessThan(all.size());
        if (!inItsLog) {
            assertSeenByPulsar(
                    true,
                    newest.values().stream()
                            .sorted()
                            .filter(offset -> message(offset).inKafka().value() != null)
                            .toList());
        }
        assertSeenByPulsar(false, List.copyOf(left()));
        assertThat(book.readKafka().keySet()).containsExactlyElementsOf(left());
    }

    /** Offsets of what is there for all. */
    private Set<Long> left() {
        return inItsLog ? new TreeSet<>(newest.values()) : all.keySet();
    }

    /** What all kinds of clients have to find. */
    SixReaders readers(Path folder) {
        SixReaders readers = new SixReaders(server, folder, book.topic);
        for (long offset : left()) {
            HistoryMessage each = message(offset);
            readers.expect(each.byKafka(), each.inKafka(), each.inPulsar());
        }
        return readers;
    }

    private HistoryMessage message(long offset) {
        HistoryMessage message = all.get(offset);
        if (message == null) {
            throw new AssertionError("nothing was written at " + offset);
        }
        return message;
    }

    private void assertSeenByPulsar(boolean compacted, List<Long> offsets) throws Exception {
        List<Long> read = new ArrayList<>();
        try (PulsarClient client = PulsarClients.builder(server.pulsar()).build();
                Reader<byte[]> reader = client.newReader()
                        .topic(book.topic + "-partition-0")
                        .readCompacted(compacted)
                        .startMessageId(MessageId.earliest)
                        .create()) {
            while (reader.hasMessageAvailable()) {
                Message<byte[]> each = reader.readNext(30, TimeUnit.SECONDS);
                assertThat(each).as("after %s", read).isNotNull();
                long offset = HistoryBook.offset(each.getMessageId());
                assertThat(message(offset).isSeenAs(each))
                        .as("%d, %s is %s", offset, each.getProperties(), message(offset))
                        .isTrue();
                read.add(offset);
            }
        }
        assertThat(read).as("compacted: %s", compacted).isEqualTo(offsets);
    }
}
