package io.sluice.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.conformance.clients.KafkaSide;
import io.sluice.conformance.clients.PulsarClients;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.apache.pulsar.client.admin.PulsarAdmin;
import org.apache.pulsar.client.api.PulsarClient;
import org.apache.pulsar.client.api.SubscriptionType;

/**
 * One topic, written, read, sought, acknowledged and committed by clients of both protocols as a seeded generator says, in rounds of some steps at
 * the same time; amid some rounds the server is killed. Java's clients do all of it; librdkafka and franz-go write, Pulsar's C++ and Go
 * clients write and acknowledge.
 *
 * <p>Afterwards readers of all these clients find each message that was acknowledged once, byte for byte, at one offset, in one order, and none of
 * an aborted transaction. Groups and subscriptions are where they were told to be: what was acknowledged does not come again, what was not does.
 */
final class MixedHistory {
    private static final int ROUNDS = Integer.getInteger("sluice.history.rounds", 10);
    private static final int MOST_STEPS = 5;
    private static final Duration PATIENCE = Duration.ofSeconds(120);

    private final SluiceServer server;
    private final Path folder;
    private final long seed;
    private final Random random;
    private final HistoryBook book;
    private final HistoryWriters writers;
    private final PulsarClient client;
    private final Map<String, Step> steps = new LinkedHashMap<>();
    private final List<HistoryGroup> groups = new ArrayList<>();
    private final List<HistorySubscription> subscriptions = new ArrayList<>();

    /** Whether the server is killed amid this round. */
    private volatile boolean killing;

    private interface Step {
        void run(Random random) throws Exception;
    }

    private MixedHistory(SluiceServer server, PulsarClient client, long seed, Path folder) {
        this.server = server;
        this.folder = folder;
        this.seed = seed;
        this.random = new Random(seed);
        this.client = client;
        this.book = new HistoryBook(server, seed, "history-" + seed);
        this.writers = new HistoryWriters(server, client, book);
        HistoryPrograms programs = new HistoryPrograms(server, book, folder);
        HistoryGroup ordinary = new HistoryGroup(book, book.topic + "-group");
        HistoryGroup moved = new HistoryGroup(book, book.topic + "-moved");
        groups.addAll(List.of(ordinary, moved));
        HistorySubscription inKafkas = subscription(SubscriptionType.Failover, "in-transactions-of-kafka");
        HistorySubscription inPulsars = subscription(SubscriptionType.Shared, "in-transactions");
        steps.put("kafka", writers::kafka);
        steps.put("pulsar", writers::pulsar);
        steps.put("librdkafka and C++", programs::python);
        steps.put("franz-go and Go", programs::go);
        HistorySubscription ofCpp = subscription(SubscriptionType.Shared, "of-cpp");
        HistorySubscription ofGo = subscription(SubscriptionType.Key_Shared, "of-go");
        steps.put("taken by C++", ofStep -> programs.takeByCpp(ofStep, ofCpp, killing));
        steps.put("taken by Go", ofStep -> programs.takeByGo(ofStep, ofGo));
        steps.put("group", ordinary::step);
        steps.put("transaction of kafka", ofStep -> {
            boolean ofGroup = ofStep.nextBoolean();
            writers.kafkaTransaction(
                    ofStep, ofGroup ? moved : inKafkas, ofGroup ? moved.next(ofStep) : inKafkas.next(ofStep));
        });
        steps.put("transaction of pulsar", ofStep -> writers.pulsarTransaction(ofStep, inPulsars));
        for (SubscriptionType type :
                List.of(SubscriptionType.Failover, SubscriptionType.Shared, SubscriptionType.Key_Shared)) {
            steps.put(type.name(), subscription(type, type.name())::step);
        }
    }

    private HistorySubscription subscription(SubscriptionType type, String name) {
        HistorySubscription made = new HistorySubscription(client, book, type, name);
        subscriptions.add(made);
        return made;
    }

    /**
     * Plays one history, on a topic of its own.
     *
     * @param kills how many times the server is killed, and started again
     * @param folder for files of programs
     */
    static void play(SluiceServer server, long seed, int kills, Path folder) throws Exception {
        try (PulsarClient client = PulsarClients.builder(server.pulsar())
                .enableTransaction(true)
                .startingBackoffInterval(50, TimeUnit.MILLISECONDS)
                .maxBackoffInterval(200, TimeUnit.MILLISECONDS)
                .build()) {
            var history = new MixedHistory(server, client, seed, folder);
            try (history.writers) {
                history.play(kills);
            } catch (AssertionError e) {
                throw new AssertionError("history of seed " + seed + ": " + e.getMessage(), e);
            }
        }
    }

    private void play(int kills) throws Exception {
        new KafkaSide(server.kafka()).create(book.topic, 1);
        try (PulsarAdmin admin =
                PulsarAdmin.builder().serviceHttpUrl(server.http()).build()) {
            admin.topicPolicies().setDeduplicationStatus(book.topic, true);
        }
        for (HistorySubscription each : subscriptions) {
            each.create();
        }
        List<Boolean> rounds = new ArrayList<>(Collections.nCopies(Math.max(0, ROUNDS - kills), false));
        rounds.addAll(Collections.nCopies(kills, true));
        Collections.shuffle(rounds, random);
        for (boolean killed : rounds) {
            round(killed);
        }
        check();
        for (HistorySubscription each : subscriptions) {
            each.drain();
        }
        assertNoBacklog();
        book.readers(folder).check("history-" + seed);
    }

    private void round(boolean killed) throws Exception {
        killing = killed;
        List<Map.Entry<String, Step>> all = new ArrayList<>(steps.entrySet());
        Collections.shuffle(all, random);
        List<CompletableFuture<Void>> running = new ArrayList<>();
        for (var each : all.subList(0, 2 + random.nextInt(MOST_STEPS - 1))) {
            Random ofStep = new Random(random.nextLong());
            CompletableFuture<Void> done = new CompletableFuture<>();
            running.add(done);
            Thread.ofVirtual().start(() -> {
                try {
                    each.getValue().run(ofStep);
                    done.complete(null);
                } catch (Throwable e) {
                    done.completeExceptionally(new AssertionError(each.getKey(), e));
                }
            });
        }
        if (killed) {
            LockSupport.parkNanos(TimeUnit.MICROSECONDS.toNanos(random.nextInt(60_000)));
            server.kill();
            server.start();
        }
        for (CompletableFuture<Void> each : running) {
            each.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        }
        if (killed) {
            for (HistorySubscription each : subscriptions) {
                each.closeConsumer();
            }
            check();
        }
    }

    private void check() throws Exception {
        book.check(client);
        groups.forEach(HistoryGroup::check);
    }

    private void assertNoBacklog() throws Exception {
        try (PulsarAdmin admin =
                PulsarAdmin.builder().serviceHttpUrl(server.http()).build()) {
            await("seed " + seed)
                    .untilAsserted(() -> assertThat(admin.topics()
                                    .getPartitionedStats(book.topic, false)
                                    .getSubscriptions()
                                    .entrySet())
                            .filteredOn(each -> !each.getKey().startsWith("_group."))
                            .allSatisfy(each -> assertThat(each.getValue().getMsgBacklog())
                                    .as(each.getKey())
                                    .isZero()));
        }
    }
}
