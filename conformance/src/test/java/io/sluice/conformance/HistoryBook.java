package io.sluice.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.conformance.clients.KafkaSide;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListOffsetsOptions;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.pulsar.client.api.Message;
import org.apache.pulsar.client.api.MessageId;
import org.apache.pulsar.client.api.MessageIdAdv;
import org.apache.pulsar.client.api.PulsarClient;
import org.apache.pulsar.client.api.Reader;

/** Messages of one random history, what was said of each, and where readers have found it. Thread-safe. */
final class HistoryBook {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final SluiceServer server;
    private final long seed;
    final String topic;
    final TopicPartition partition;

    private final List<HistoryMessage> messages = new ArrayList<>();
    private final Map<Integer, Long> acknowledged = new HashMap<>();
    private final Set<Integer> gone = new HashSet<>();
    /** Offsets at which any consumer was given something. */
    private final Set<Long> seen = new HashSet<>();
    /** Transactions of which it is not known how they ended. */
    private final List<Unsure> unsure = new ArrayList<>();

    /** By offset, what was found when all was read last. */
    private NavigableMap<Long, Integer> found = new TreeMap<>();

    private NavigableMap<Long, MessageId> ids = new TreeMap<>();

    /** @param ended called when readers have shown whether it was committed */
    private record Unsure(Set<Integer> numbers, Ended ended) {}

    /** Takes the end of a transaction. */
    interface Ended {
        void ended(boolean committed);
    }

    HistoryBook(SluiceServer server, long seed, String topic) {
        this.server = server;
        this.seed = seed;
        this.topic = topic;
        this.partition = new TopicPartition(topic, 0);
    }

    HistoryMessage next(boolean byKafka, String writer) {
        return next(byKafka, writer, true);
    }

    /** @param ofJava see {@link HistoryMessage#ofPulsar} */
    synchronized HistoryMessage next(boolean byKafka, String writer, boolean ofJava) {
        int n = messages.size();
        HistoryMessage next =
                byKafka ? HistoryMessage.ofKafka(seed, n, writer) : HistoryMessage.ofPulsar(seed, n, writer, ofJava);
        messages.add(next);
        return next;
    }

    /** A message of a Kafka client under a key that no other has. */
    synchronized HistoryMessage nextUnder(String key, String writer) {
        HistoryMessage next =
                HistoryMessage.ofKafka(seed, messages.size(), writer).withKey(key);
        messages.add(next);
        return next;
    }

    /** @param offset -1 if it was not said */
    synchronized void acknowledged(HistoryMessage message, long offset) {
        acknowledged.put(message.n(), offset);
    }

    synchronized void aborted(List<HistoryMessage> all) {
        all.forEach(message -> gone.add(message.n()));
    }

    /** A transaction that is told from others by its messages; one that has none came to nothing. */
    synchronized void unsure(List<HistoryMessage> all, Ended ended) {
        Set<Integer> numbers = new HashSet<>();
        all.forEach(message -> numbers.add(message.n()));
        unsure.add(new Unsure(numbers, ended));
    }

    /** A consumer was given the message at this offset. */
    synchronized void seen(long offset) {
        seen.add(offset);
    }

    /** By offset, at the last reading. */
    synchronized NavigableMap<Long, MessageId> ids() {
        return ids;
    }

    synchronized NavigableMap<Long, Integer> found() {
        return found;
    }

    synchronized HistoryMessage message(int n) {
        return messages.get(n);
    }

    static long offset(MessageId id) {
        MessageIdAdv position = (MessageIdAdv) id;
        return position.getEntryId() < 0 ? -1 : position.getEntryId() + Math.max(0, position.getBatchIndex());
    }

    KafkaConsumer<byte[], byte[]> consumer(String group) {
        Map<String, Object> settings = Map.of(
                "bootstrap.servers",
                server.kafka(),
                "group.id",
                group,
                "auto.offset.reset",
                "earliest",
                "isolation.level",
                "read_committed",
                "enable.auto.commit",
                false,
                "reconnect.backoff.max.ms",
                200,
                "request.timeout.ms",
                5_000,
                "max.poll.records",
                20);
        KafkaConsumer<byte[], byte[]> consumer =
                new KafkaConsumer<>(settings, new ByteArrayDeserializer(), new ByteArrayDeserializer());
        consumer.assign(List.of(partition));
        return consumer;
    }

    /** All committed records, by offset. */
    NavigableMap<Long, ConsumerRecord<byte[], byte[]>> readKafka() {
        NavigableMap<Long, ConsumerRecord<byte[], byte[]>> read = new TreeMap<>();
        try (KafkaConsumer<byte[], byte[]> consumer = consumer("unused")) {
            consumer.seek(partition, 0);
            long end = consumer.endOffsets(List.of(partition)).getOrDefault(partition, -1L);
            while (consumer.position(partition) < end) {
                for (ConsumerRecord<byte[], byte[]> each : consumer.poll(Duration.ofMillis(100))) {
                    assertThat(read.isEmpty() || read.lastKey() < each.offset())
                            .as("%s after %s", each, read.keySet())
                            .isTrue();
                    read.put(each.offset(), each);
                }
            }
        }
        return read;
    }

    /** Clients of all kinds, who have to find what was found last. */
    SixReaders readers(Path folder) {
        SixReaders readers = new SixReaders(server, folder, topic);
        found().values().stream()
                .map(this::message)
                .forEach(m -> readers.expect(m.byKafka(), m.inKafka(), m.inPulsar()));
        return readers;
    }

    /** Reads everything by both protocols and compares; no step is under way. */
    void check(PulsarClient client) throws Exception {
        awaitDecided();
        NavigableMap<Long, Integer> byKafka = new TreeMap<>();
        readKafka().forEach((offset, each) -> {
            int n = HistoryMessage.number(each);
            assertThat(message(n).isSeenAs(each))
                    .as("%s is %s", each, message(n))
                    .isTrue();
            byKafka.put(offset, n);
        });
        NavigableMap<Long, MessageId> byPulsar = new TreeMap<>();
        try (Reader<byte[]> reader = client.newReader()
                .topic(topic)
                .startMessageId(MessageId.earliest)
                .create()) {
            while (reader.hasMessageAvailable()) {
                Message<byte[]> each = reader.readNext();
                long offset = offset(each.getMessageId());
                assertThat(byPulsar.isEmpty() || byPulsar.lastKey() < offset)
                        .as("%d after %s", offset, byPulsar)
                        .isTrue();
                checkSeen(each, byKafka);
                byPulsar.put(offset, each.getMessageId());
            }
        }
        assertThat(byPulsar.keySet()).as("seed %d", seed).isEqualTo(byKafka.keySet());
        checkFates(byKafka, byPulsar);
    }

    /** Transactions that nobody ends are aborted when their time is over; their readers wait until then. */
    private void awaitDecided() throws Exception {
        try (Admin admin = new KafkaSide(server.kafka()).admin()) {
            await("seed " + seed + ": no open transaction")
                    .atMost(PATIENCE)
                    .until(() ->
                            end(admin, IsolationLevel.READ_COMMITTED) == end(admin, IsolationLevel.READ_UNCOMMITTED));
        }
    }

    private long end(Admin admin, IsolationLevel isolation) throws Exception {
        var ends = admin.listOffsets(Map.of(partition, OffsetSpec.latest()), new ListOffsetsOptions(isolation));
        return KafkaSide.get(ends.partitionResult(partition)).offset();
    }

    /** A message is the one that Kafka's readers find at its offset. */
    private void checkSeen(Message<byte[]> message, NavigableMap<Long, Integer> at) {
        Integer n = at.get(offset(message.getMessageId()));
        if (n == null) {
            throw new AssertionError(message.getMessageId() + " is there for Pulsar's clients only, not in " + at);
        }
        assertThat(message(n).isSeenAs(message))
                .as("seed %d, %s, %s is %s", seed, message.getMessageId(), message.getProperties(), message(n))
                .isTrue();
    }

    /** As the other, by what was found last. */
    void checkSeen(Message<byte[]> message) {
        checkSeen(message, found());
    }

    private synchronized void checkFates(NavigableMap<Long, Integer> all, NavigableMap<Long, MessageId> places) {
        Map<Integer, Long> offsets = new HashMap<>();
        Map<String, Integer> last = new HashMap<>();
        all.forEach((offset, n) -> {
            assertThat(offsets.put(n, offset))
                    .as("seed %d: %d is there twice", seed, n)
                    .isNull();
            Integer before = last.put(messages.get(n).writer(), n);
            assertThat(before == null || before < n)
                    .as("seed %d: %d after %d", seed, n, before)
                    .isTrue();
        });
        for (Unsure transaction : unsure) {
            boolean committed =
                    !transaction.numbers.isEmpty() && offsets.keySet().containsAll(transaction.numbers);
            if (committed) {
                transaction.numbers.forEach(n -> acknowledged.put(n, -1L));
            } else {
                gone.addAll(transaction.numbers);
            }
            transaction.ended.ended(committed);
        }
        unsure.clear();
        assertThat(offsets.keySet()).as("seed %d: aborted", seed).noneMatch(gone::contains);
        acknowledged.forEach((n, offset) -> assertThat(offsets.get(n))
                .as("seed %d: %d was acknowledged at %d", seed, n, offset)
                .isNotNull()
                .satisfies(at -> assertThat(offset == -1 || offset.equals(at)).isTrue()));
        assertThat(offsets.keySet()).as("seed %d", seed).isEqualTo(acknowledged.keySet());
        assertThat(all.keySet()).as("seed %d: what consumers were given", seed).containsAll(seen);
        assertThat(all.headMap(found.isEmpty() ? -1 : found.lastKey(), true))
                .as("seed %d: what was there before", seed)
                .isEqualTo(found);
        ids.forEach((offset, id) ->
                assertThat(places.get(offset)).as("seed %d", seed).isEqualTo(id));
        found = all;
        ids = places;
    }
}
