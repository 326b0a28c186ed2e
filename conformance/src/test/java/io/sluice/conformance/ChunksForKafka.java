package io.sluice.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.conformance.MixedTopic.KafkaView;
import io.sluice.conformance.MixedTopic.PulsarView;
import io.sluice.conformance.clients.KafkaSide;
import io.sluice.conformance.clients.PulsarClients;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.apache.pulsar.client.api.CompressionType;
import org.apache.pulsar.client.api.MessageId;
import org.apache.pulsar.client.api.MessageIdAdv;
import org.apache.pulsar.client.api.Producer;
import org.apache.pulsar.client.api.PulsarClient;
import org.apache.pulsar.client.impl.TypedMessageBuilderImpl;
import org.jspecify.annotations.Nullable;

/**
 * Messages that Pulsar's Java, C++ and Go producers cut into chunks, several producers at a time, among small ones of both protocols; some are
 * larger than the largest entry. And of two messages only some chunks are there, as of a producer that was killed, or whose first chunks
 * retention has taken.
 */
final class ChunksForKafka {
    private static final int SECONDS = 120;
    private static final int CHUNK = 20_000;
    private static final int LARGE = 6 << 20;
    private static final int ROUNDS = 50;
    /** Keys of messages on a topic that is compacted. */
    private static final int KEYS = 9;

    private static final ObjectMapper JSON = new ObjectMapper();

    private final SluiceServer server;
    private final String topic;
    private final boolean compacted;
    private final Random random = new Random(11);
    private final NavigableMap<Long, PulsarView> byPulsar = new TreeMap<>();
    private final NavigableMap<Long, KafkaView> byKafka = new TreeMap<>();
    private int count;
    private boolean interleaved;

    private ChunksForKafka(SluiceServer server, boolean compacted) {
        this.server = server;
        this.topic = compacted ? "compacted-chunks" : "chunks-for-kafka";
        this.compacted = compacted;
    }

    /** Readers, who expect all of it in the order of the last chunks. */
    static SixReaders write(SluiceServer server, Path folder) throws Exception {
        new KafkaSide(server.kafka()).create("chunks-for-kafka", 1);
        return new ChunksForKafka(server, false).writeAll(folder);
    }

    /**
     * Messages of Java's clients under a few keys, on a topic that is compacted by them: readers expect the newest message of each key, be it in chunks
     * or not, of either protocol. Returns when the rest is gone; the server has to compact soon.
     */
    static SixReaders writeCompacted(SluiceServer server, Path folder) throws Exception {
        var made = new ChunksForKafka(server, true);
        var settings = Map.of("cleanup.policy", "compact", "min.cleanable.dirty.ratio", "0");
        try (Admin admin = new KafkaSide(server.kafka()).admin()) {
            KafkaSide.get(admin.createTopics(List.of(new NewTopic(made.topic, 1, (short) 1).configs(settings)))
                    .all());
        }
        SixReaders readers = made.writeAll(folder);
        await().atMost(Duration.ofSeconds(SECONDS))
                .pollInterval(Duration.ofSeconds(1))
                .untilAsserted(() -> assertThat(new HistoryBook(server, 0, made.topic)
                                .readKafka()
                                .keySet())
                        .isEqualTo(made.newest()));
        return readers;
    }

    private SixReaders writeAll(Path folder) throws Exception {
        writeByJava();
        if (compacted) {
            // a compaction ends before the last entry
            writeByKafka("last");
        } else {
            writeByOthers(folder);
            writeByKafka(null);
        }
        SixReaders readers = new SixReaders(server, folder, topic);
        NavigableMap<Long, Runnable> inOrder = new TreeMap<>();
        byPulsar.forEach((at, each) -> inOrder.put(at, () -> readers.expect(false, each.inKafka(), each)));
        byKafka.forEach((at, each) -> inOrder.put(at, () -> readers.expect(true, each, each.inPulsar())));
        assertThat(inOrder).hasSize(byPulsar.size() + byKafka.size());
        if (compacted) {
            inOrder.keySet().retainAll(newest());
            assertThat(inOrder).hasSizeBetween(2, KEYS + 1);
        }
        inOrder.values().forEach(Runnable::run);
        return readers;
    }

    /** Offsets of the newest message of each key. */
    private Set<Long> newest() {
        NavigableMap<Long, String> keys = new TreeMap<>();
        byPulsar.forEach((at, each) -> keys.put(at, String.valueOf(each.key())));
        byKafka.forEach(
                (at, each) -> keys.put(at, String.valueOf(each.inPulsar().key())));
        Map<String, Long> newest = new HashMap<>();
        keys.forEach((at, key) -> newest.put(key, at));
        return new TreeSet<>(newest.values());
    }

    /** Half of it compresses. */
    private PulsarView message(int size) {
        byte[] value = new byte[size];
        random.nextBytes(value);
        Arrays.fill(value, 0, size / 2, (byte) 'x');
        int n = count++;
        return new PulsarView(key(n), MixedTopic.base64(value), Map.of("n", "" + n));
    }

    private @Nullable String key(int n) {
        if (compacted) {
            return "schlüssel-" + n % KEYS;
        }
        return n % 3 == 0 ? null : "schlüssel-" + n;
    }

    private void writeByJava() throws Exception {
        try (PulsarClient client = PulsarClients.builder(server.pulsar()).build();
                PulsarClient other = PulsarClients.builder(server.pulsar()).build();
                Producer<byte[]> plain = producer(client, CompressionType.NONE);
                Producer<byte[]> packed = producer(other, CompressionType.LZ4);
                Producer<byte[]> third = producer(other, CompressionType.NONE)) {
            abandon(plain, 0, "no last chunk");
            for (int round = 0; round < 3 || !interleaved; round++) {
                assertThat(round)
                        .as("two producers' chunks one after the other")
                        .isLessThan(ROUNDS);
                writeAtOnce(List.of(plain, packed, third));
                writeByKafka(compacted ? key(count) : null);
            }
            abandon(packed, 2, "no first chunk");
            writeAtOnce(List.of(plain), message(LARGE), message(10));
        }
    }

    private Producer<byte[]> producer(PulsarClient client, CompressionType codec) throws Exception {
        return client.newProducer()
                .topic(topic)
                .compressionType(codec)
                .enableBatching(false)
                .enableChunking(true)
                .chunkMaxMessageSize(CHUNK)
                .sendTimeout(0, TimeUnit.SECONDS)
                .create();
    }

    private void writeAtOnce(List<Producer<byte[]>> producers) throws Exception {
        writeAtOnce(
                producers,
                message(10 * CHUNK),
                message(20 * CHUNK),
                message(15 * CHUNK),
                message(1),
                message(100),
                message(5 * CHUNK));
    }

    /** Each producer has a thread; messages go to them in turn. */
    private void writeAtOnce(List<Producer<byte[]>> producers, PulsarView... messages) throws Exception {
        List<CompletableFuture<MessageId>> sent = Stream.generate(CompletableFuture<MessageId>::new)
                .limit(messages.length)
                .toList();
        List<Thread> threads = new ArrayList<>();
        for (int p = 0; p < producers.size(); p++) {
            int first = p;
            threads.add(Thread.startVirtualThread(() -> {
                for (int n = first; n < messages.length; n += producers.size()) {
                    send(producers.get(first), messages[n], sent.get(n));
                }
            }));
        }
        NavigableMap<Long, Long> firsts = new TreeMap<>();
        for (int n = 0; n < messages.length; n++) {
            var id = (MessageIdAdv) sent.get(n).get(SECONDS, TimeUnit.SECONDS);
            byPulsar.put(id.getEntryId(), messages[n]);
            if (id.getFirstChunkMessageId() != null) {
                firsts.put(id.getFirstChunkMessageId().getEntryId(), id.getEntryId());
            }
        }
        for (Thread each : threads) {
            each.join();
        }
        long end = -1;
        for (var each : firsts.entrySet()) {
            interleaved |= each.getKey() < end;
            end = Math.max(end, each.getValue());
        }
    }

    private static void send(Producer<byte[]> producer, PulsarView message, CompletableFuture<MessageId> receipt) {
        var builder = producer.newMessage()
                .value(Base64.getDecoder().decode(Objects.requireNonNull(message.value())))
                .properties(message.properties());
        (message.key() == null ? builder : builder.key(message.key()))
                .sendAsync()
                .whenComplete((id, failure) -> {
                    if (failure == null) {
                        receipt.complete(id);
                    } else {
                        receipt.completeExceptionally(failure);
                    }
                });
    }

    /** One chunk of three, as the client would send it, and no other. */
    private static void abandon(Producer<byte[]> producer, int chunk, String name) throws Exception {
        var builder = (TypedMessageBuilderImpl<byte[]>) producer.newMessage();
        builder.getMetadataBuilder()
                .setUuid(name)
                .setChunkId(chunk)
                .setNumChunksFromMsg(3)
                .setTotalChunkMsgSize(3 * CHUNK);
        builder.value(new byte[CHUNK / 4]).send();
    }

    /** The C++ client's chunks are as large as the server lets them be, those of Go's are small. */
    private void writeByOthers(Path folder) throws Exception {
        for (boolean go : List.of(false, true)) {
            List<PulsarView> messages = List.of(message(LARGE), message(LARGE + 1), message(10), message(1000));
            Path file = folder.resolve("chunks.json");
            JSON.writeValue(
                    file.toFile(),
                    Map.of("pulsar", messages.stream().map(PulsarView::json).toList()));
            String[] program = {"chunks", server.kafka(), server.pulsar(), topic, file.toString()};
            List<String> lines =
                    go ? ClientProgram.goLines("both", program) : ClientProgram.pythonLines("both.py", program);
            JsonNode offsets = JSON.readTree(lines.stream()
                            .filter(line -> line.startsWith("{"))
                            .findFirst()
                            .orElseThrow())
                    .get("offsets");
            for (int n = 0; n < messages.size(); n++) {
                byPulsar.put(offsets.get(n).asLong(), messages.get(n));
            }
        }
    }

    private void writeByKafka(@Nullable String key) throws Exception {
        Map<String, Object> settings = Map.of("bootstrap.servers", server.kafka());
        try (var producer = new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer())) {
            byte[] keyBytes = key == null ? null : key.getBytes(StandardCharsets.UTF_8);
            byte[] value = ("kafka-" + count++).getBytes(StandardCharsets.UTF_8);
            long offset = producer.send(new ProducerRecord<>(topic, keyBytes, value))
                    .get(SECONDS, TimeUnit.SECONDS)
                    .offset();
            String shown = keyBytes == null ? null : MixedTopic.base64(keyBytes);
            byKafka.put(offset, new KafkaView(shown, MixedTopic.base64(value), List.of()));
        }
    }
}
