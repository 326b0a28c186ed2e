package io.sluice.conformance;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.conformance.Troubles.Kind;
import io.sluice.conformance.clients.CrashLoad;
import io.sluice.conformance.clients.KafkaSide;
import io.sluice.conformance.clients.PulsarClients;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.pulsar.client.api.PulsarClient;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/**
 * Clients of all kinds write and read while partitions move, segments split and merge, levels of durability and the number of
 * containers change, and the server, or one of its nodes, and an application are killed. Nothing acknowledged is lost or doubled, keys stay in order,
 * Kafka's offsets have no holes, message ids rise, and what was acknowledged by readers stays so.
 *
 * <p>A process that is killed loses nothing at any level of durability: what the levels differ in is whether the disk is waited
 * for, and the system still has what the process had written.
 *
 * <p>Only Pulsar 5's producer may write twice, and only what was not answered when the server was killed: if the segment is sealed before
 * the producer is there again, it sends that to another, which does not know it.
 */
class EverythingAtOnceTest {
    static final int KAFKA_PARTITIONS = 4;
    static final int ELASTIC_PARTITIONS = 8;

    private static final int RUNS = Integer.getInteger("sluice.chaos.runs", 1);
    /** How often each kind of change comes up in a run. */
    private static final int TIMES = Integer.getInteger("sluice.chaos.times", 1);
    /** Of the first run; each after it has the next one. */
    private static final long SEED = Long.getLong("sluice.chaos.seed", System.nanoTime());

    private static final int CONTAINERS = 3;
    private static final String SETTINGS = """
            store: {containers: %d}
            balance: {checkMillis: 500}
            scaling: {splitCooldownMillis: 1000, mergeMillis: 8000}
            """.formatted(CONTAINERS);

    private static final CrashLoad.Shape SHAPE =
            new CrashLoad.Shape(100, Long.BYTES, Application.KEYS, TimeUnit.MILLISECONDS.toNanos(20));

    /** Of what was refused, or not answered, each time it came up. */
    private static final int TRIES = 3;

    private static final Duration PATIENCE = Duration.ofSeconds(120);
    private static final Pattern BACKLOG = Pattern.compile("\"msgBacklog\":(\\d+)");

    /** Kept when the test fails: the only witness. */
    @TempDir(cleanup = CleanupMode.ON_SUCCESS)
    private Path folder;

    @Test
    void clientsOfAllKindsSeeNothingOfIt() throws Exception {
        for (int run = 0; run < RUNS; run++) {
            long seed = SEED + run;
            Path ofRun = folder.resolve("run-" + run);
            try (SluiceServer server = SluiceServer.start(ofRun.resolve("data"), SETTINGS, Map.of())) {
                var chaos = new Run(server, seed, ofRun);
                try {
                    chaos.play();
                } catch (Exception | AssertionError e) {
                    throw new AssertionError("%s%n-Dsluice.chaos.seed=%d%n%s".formatted(e, seed, chaos.troubles), e);
                }
            }
        }
    }

    /** One application's load on one topic, as {@link CrashLoad} sees it. */
    private static final class OfLoad implements CrashLoad.Client {
        private final String name;
        private final Sender sender;
        private final Map<Long, CrashLoad.Answer> waiting = new ConcurrentHashMap<>();
        private List<Long> readBack = List.of();

        interface Sender {
            void send(String load, long number);
        }

        OfLoad(String name, Sender sender) {
            this.name = name;
            this.sender = sender;
        }

        @Override
        public void send(byte[] record, CrashLoad.Answer answered) {
            long number = ByteBuffer.wrap(record).getLong();
            waiting.put(number, answered);
            sender.send(name, number);
        }

        void answered(long number, @Nullable Throwable failure) {
            CrashLoad.Answer answer = waiting.remove(number);
            if (answer != null) {
                answer.accept(failure);
            }
        }

        @Override
        public void finishSending() {
            await(name + " is answered").atMost(PATIENCE).until(waiting::isEmpty);
        }

        @Override
        public List<byte[]> readBack() {
            return readBack.stream()
                    .map(number ->
                            ByteBuffer.allocate(Long.BYTES).putLong(number).array())
                    .toList();
        }

        @Override
        public String toString() {
            return name;
        }
    }

    private static final class Run implements Application.Books {
        private final SluiceServer server;
        private final Path folder;
        private final Random random;
        private final String context;
        final Troubles troubles;
        private final Map<String, OfLoad> clients = new ConcurrentHashMap<>();
        private final Map<String, CrashLoad> loads = new LinkedHashMap<>();
        private final Receipts receipts = new Receipts();
        /** Of Pulsar 5's producer, what was not answered when the server was killed. */
        private final Set<String> unansweredAtKill = new HashSet<>();

        private final Queue<String> wrong = new ConcurrentLinkedQueue<>();

        Run(SluiceServer server, long seed, Path folder) {
            this.server = server;
            this.folder = folder;
            this.random = new Random(seed);
            this.context = "seed " + seed;
            this.troubles = new Troubles(server, CONTAINERS);
        }

        @Override
        public void acknowledged(String load, long number, String place) {
            answered(load, number, null);
        }

        @Override
        public void refused(String load, long number, Throwable why) {
            answered(load, number, why);
        }

        private void answered(String load, long number, @Nullable Throwable failure) {
            OfLoad client = clients.get(load);
            if (client != null) {
                client.answered(number, failure);
            }
        }

        @Override
        public void received(Application.Receipt receipt) {
            receipts.add(receipt);
        }

        @Override
        public void wrong(String what) {
            wrong.add(what);
        }

        void play() throws Exception {
            createTopics();
            try (var here = new Application(List.of(
                            new KafkaPart(server.kafka(), 0, 2, this),
                            new KafkaTransactionsPart(server.kafka(), KafkaTransactionsPart.TRANSACTIONAL + "-0", this),
                            new PulsarPart(server.pulsar(), 0, this)));
                    var other = ApplicationProcess.java(server, 1, folder, this);
                    var python = ApplicationProcess.python(server, folder, this);
                    var go = ApplicationProcess.go(server, folder, this)) {
                var committed = new KafkaCommittedReader(
                        server.kafka(),
                        KafkaTransactionsPart.TRANSACTIONAL,
                        (_, value) -> received(Application.Receipt.of(KafkaTransactionsPart.COMMITTED, value)));
                committed.start();
                for (String topic : List.of(
                        KafkaPart.ORDINARY,
                        KafkaPart.ELASTIC,
                        KafkaTransactionsPart.TRANSACTIONAL,
                        PulsarPart.NAMED,
                        PulsarPart.PARTITIONED)) {
                    add(topic + "-0", here::send);
                    add(topic + "-1", other::send);
                }
                for (String topic : List.of(KafkaPart.ORDINARY, KafkaPart.ELASTIC)) {
                    add(topic + "-python", python::send);
                    add(topic + "-go", go::send);
                }
                add(Pulsar5Part.SCALABLE + "-1", other::send);
                add(Pulsar5TransactionsPart.SCALABLE + "-1", other::send);
                loads.values().forEach(CrashLoad::start);
                awaitProgress();
                makeTrouble(other, List.of(python, go));
                for (CrashLoad load : loads.values()) {
                    load.finish();
                }
                other.audit();
                awaitReaders();
                committed.finish();
            }
            assertThat(wrong).isEmpty();
            for (Kind kind : EnumSet.complementOf(EnumSet.of(Kind.FEWER_CONTAINERS))) {
                assertThat(troubles.done(kind)).as("%s was done", kind).isPositive();
            }
            check();
            killServer();
            nothingIsLeftToRead();
            if (server.nodes().size() == 1) { // there is a folder to look at
                server.stop();
                SluiceServer.Outcome verified = server.run("verify-data");
                assertThat(verified.exitCode()).as(verified.output()).isZero();
            }
        }

        private void createTopics() throws Exception {
            try (Admin admin = new KafkaSide(server.kafka()).admin()) {
                KafkaSide.get(admin.createTopics(List.of(
                                new NewTopic(KafkaPart.ORDINARY, KAFKA_PARTITIONS, (short) 1),
                                new NewTopic(KafkaPart.ELASTIC, ELASTIC_PARTITIONS, (short) 1)
                                        .configs(Map.of("sluice.elastic", "true")),
                                new NewTopic(KafkaTransactionsPart.TRANSACTIONAL, ELASTIC_PARTITIONS, (short) 1)
                                        .configs(Map.of("sluice.elastic", "true"))))
                        .all());
            }
            String path = "/admin/v2/persistent/public/default/" + PulsarPart.PARTITIONED + "/partitions";
            assertThat(server.ask("PUT", path, Integer.toString(PulsarPart.PARTITIONS))
                            .status())
                    .isLessThan(300);
            for (String topic : List.of(Pulsar5Part.SCALABLE, Pulsar5TransactionsPart.SCALABLE)) {
                path = "/admin/v2/scalable/public/default/" + topic + "?numInitialSegments=2";
                assertThat(server.ask("PUT", path, "").status()).isLessThan(300);
            }
        }

        private void add(String name, OfLoad.Sender sender) {
            var client = new OfLoad(name, sender);
            clients.put(name, client);
            loads.put(name, new CrashLoad(client, SHAPE));
        }

        private void awaitProgress() {
            CrashLoad.awaitProgress(context, List.copyOf(loads.values()));
            assertThat(wrong).isEmpty();
        }

        /** Amid the second round the server is killed, amid the third the application and one of the others, and so on. */
        private void makeTrouble(ApplicationProcess other, List<ApplicationProcess> others) throws Exception {
            List<List<Kind>> plan = Troubles.plan(random, TIMES, 4);
            for (int round = 0; round < plan.size(); round++) {
                List<CompletableFuture<?>> made = new ArrayList<>();
                for (Kind kind : plan.get(round)) {
                    made.add(begin(kind, new Random(random.nextLong())));
                }
                long pause = TimeUnit.MILLISECONDS.toNanos(random.nextInt(400));
                if (round % 3 == 1) {
                    LockSupport.parkNanos(pause);
                    killServer();
                } else if (round % 3 == 2) {
                    LockSupport.parkNanos(pause);
                    troubles.note("kill of an application");
                    other.killAndStart();
                    others.get(random.nextInt(others.size())).killAndStart();
                }
                for (CompletableFuture<?> each : made) {
                    each.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
                }
                awaitProgress();
            }
            for (Kind kind : Kind.values()) {
                for (int n = 0; n < TRIES && troubles.done(kind) == 0; n++) {
                    troubles.make(kind, random);
                }
            }
            awaitProgress();
        }

        /** Of several nodes one, which comes back before another one is killed. */
        private void killServer() {
            List<SluiceServer> nodes = server.nodes();
            int node = nodes.size() == 1 ? 0 : random.nextInt(nodes.size());
            troubles.note("kill of " + (nodes.size() == 1 ? "the server" : "node " + (node + 1)));
            nodes.get(node).kill();
            noteUnanswered(Pulsar5Part.SCALABLE + "-1");
            nodes.get(node).start();
        }

        private void noteUnanswered(String load) {
            requireNonNull(clients.get(load))
                    .waiting
                    .keySet()
                    .forEach(number -> unansweredAtKill.add(Application.value(load, number)));
        }

        private CompletableFuture<?> begin(Kind kind, Random ofIt) {
            CompletableFuture<Void> made = new CompletableFuture<>();
            Thread.ofVirtual().start(() -> {
                try {
                    troubles.make(kind, ofIt);
                    made.complete(null);
                } catch (Exception | AssertionError e) {
                    made.completeExceptionally(e);
                }
            });
            return made;
        }

        /** Topics of which a reader from the first record on says what is there. */
        private static final Set<String> OF_AUDITS =
                Set.of(Pulsar5Part.SCALABLE, KafkaTransactionsPart.TRANSACTIONAL, Pulsar5TransactionsPart.SCALABLE);

        /** Who reads which topic. */
        private static final Map<String, String> READERS = Map.ofEntries(
                Map.entry(KafkaPart.GROUP, KafkaPart.ORDINARY),
                Map.entry(KafkaPart.NEW_GROUP, KafkaPart.ELASTIC),
                Map.entry(ApplicationProcess.GO_GROUP, KafkaPart.ORDINARY),
                Map.entry(ApplicationProcess.PYTHON_GROUP, KafkaPart.ELASTIC),
                Map.entry(PulsarPart.FAILOVER, PulsarPart.NAMED),
                Map.entry(PulsarPart.SHARED, PulsarPart.PARTITIONED),
                Map.entry(PulsarPart.KEY_SHARED, PulsarPart.PARTITIONED),
                Map.entry(Pulsar5Part.STREAM, Pulsar5Part.SCALABLE),
                Map.entry(Pulsar5Part.QUEUE, Pulsar5Part.SCALABLE),
                Map.entry(Pulsar5Part.AUDIT, Pulsar5Part.SCALABLE),
                Map.entry(KafkaTransactionsPart.COMMITTED, KafkaTransactionsPart.TRANSACTIONAL),
                Map.entry(Pulsar5TransactionsPart.STREAM, Pulsar5TransactionsPart.SCALABLE),
                Map.entry(Pulsar5TransactionsPart.AUDIT, Pulsar5TransactionsPart.SCALABLE));

        private void awaitReaders() {
            READERS.forEach((reader, topic) -> await(context + ": " + reader + " has all")
                    .atMost(PATIENCE)
                    .untilAsserted(() -> {
                        for (var load : ofTopic(topic)) {
                            assertThat(load.getValue().missing(receipts.numbers(reader, load.getKey())))
                                    .as("%s of %s", reader, load.getKey())
                                    .isEmpty();
                        }
                    }));
        }

        private List<Map.Entry<String, CrashLoad>> ofTopic(String topic) {
            return loads.entrySet().stream()
                    .filter(load -> load.getKey().startsWith(topic))
                    .toList();
        }

        private void check() throws Exception {
            var read = new ReadBack();
            var kafka = new KafkaSide(server.kafka());
            read.kafka(kafka, KafkaPart.ORDINARY).kafka(kafka, KafkaPart.ELASTIC);
            try (PulsarClient client = PulsarClients.builder(server.pulsar()).build()) {
                read.pulsar(client, PulsarPart.NAMED);
                for (int partition = 0; partition < PulsarPart.PARTITIONS; partition++) {
                    read.pulsar(client, PulsarPart.PARTITIONED + "-partition-" + partition);
                }
            }
            assertThat(read.wrong()).isEmpty();
            for (var load : loads.entrySet()) {
                if (OF_AUDITS.stream().noneMatch(load.getKey()::startsWith)) {
                    requireNonNull(clients.get(load.getKey())).readBack = read.numbers(load.getKey());
                    load.getValue().checkNothingLost(context);
                }
            }
            assertThat(Stream.of(
                                    KafkaPart.GROUP,
                                    KafkaPart.NEW_GROUP,
                                    ApplicationProcess.GO_GROUP,
                                    ApplicationProcess.PYTHON_GROUP,
                                    PulsarPart.FAILOVER,
                                    PulsarPart.KEY_SHARED,
                                    Pulsar5Part.STREAM,
                                    Pulsar5Part.AUDIT,
                                    KafkaTransactionsPart.COMMITTED,
                                    Pulsar5TransactionsPart.STREAM,
                                    Pulsar5TransactionsPart.AUDIT)
                            .flatMap(reader -> receipts.outOfOrder(reader).stream()))
                    .isEmpty();
            assertThat(receipts.doubled(Pulsar5Part.AUDIT))
                    .as(Pulsar5Part.AUDIT)
                    .isSubsetOf(unansweredAtKill)
                    .doesNotHaveDuplicates();
            for (String audit : List.of(KafkaTransactionsPart.COMMITTED, Pulsar5TransactionsPart.AUDIT)) {
                assertThat(receipts.doubled(audit)).as(audit).isEmpty();
            }
        }

        private void nothingIsLeftToRead() throws Exception {
            var kafka = new KafkaSide(server.kafka());
            try (Admin admin = kafka.admin()) {
                for (String group : List.of(
                        KafkaPart.GROUP,
                        KafkaPart.NEW_GROUP,
                        ApplicationProcess.GO_GROUP,
                        ApplicationProcess.PYTHON_GROUP)) {
                    Map<TopicPartition, OffsetAndMetadata> committed =
                            KafkaSide.get(admin.listConsumerGroupOffsets(group).partitionsToOffsetAndMetadata());
                    assertThat(committed).as(group).isNotEmpty();
                    for (var each : committed.entrySet()) {
                        assertThat(each.getValue().offset())
                                .as("%s of %s", each.getKey(), group)
                                .isEqualTo(kafka.offset(each.getKey(), OffsetSpec.latest()));
                    }
                }
            }
            Set<String> topics = new HashSet<>(List.of(PulsarPart.NAMED));
            for (int partition = 0; partition < PulsarPart.PARTITIONS; partition++) {
                topics.add(PulsarPart.PARTITIONED + "-partition-" + partition);
            }
            for (String topic : topics) {
                String page = "/admin/v2/persistent/public/default/" + topic + "/stats";
                await(page).atMost(PATIENCE).until(() -> server.get(page).startsWith("200 "));
                String stats = server.get(page);
                assertThat(BACKLOG.matcher(stats).results().map(found -> found.group(1)))
                        .as(stats)
                        .isNotEmpty()
                        .containsOnly("0");
            }
        }
    }
}
