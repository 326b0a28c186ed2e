package io.sluice.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.conformance.NodeNetwork.Cut;
import io.sluice.conformance.steps.AgentJar;
import io.sluice.conformance.steps.HaltAgent;
import io.sluice.conformance.steps.Step;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.LockSupport;

/** Faults of a cluster's processes and of the network between them. Each is over, and all clients go on, when it returns. */
final class ClusterFaults {
    /** Behind the decision that a transaction commits or aborts, before anything is told of it to its partitions. */
    static final Step PREPARED =
            new Step("a transaction is prepared", "io/sluice/transactions/OutcomeDelivery", "start", 4);

    /** After a node's start; its coordinators come back to it first. Where none of its transactions gets so far, the node is killed. */
    private static final Duration REACHED = Duration.ofSeconds(60);

    private static final Duration PATIENCE = Duration.ofSeconds(120);
    private static final Duration CLOCK_OFF = Duration.ofSeconds(30);
    private static final int MOVES = 12;

    private final Path folder;
    private final ClusterNodes cluster;
    private final ClusterWork work;
    private final History records;
    private final Duration longest;
    private final Random random;
    private final ConcurrentLinkedQueue<String> log = new ConcurrentLinkedQueue<>();

    /** What can happen. */
    enum Fault {
        /** {@code kill -9}; it begins again with what it has on its disk. */
        NODE_KILLED,
        /** {@code kill -9}, and its folder goes: it has nothing that is needed. */
        NODE_REPLACED,
        /** SIGSTOP, until others have taken what it served. */
        NODE_PAUSED,
        /** SIGTERM of one after the other, each of which begins again. */
        ROLLING_RESTART,
        NODE_WITHOUT_METADATA,
        NODE_WITHOUT_BOOKIES,
        NODE_WITHOUT_TIER,
        NODES_APART,
        NODE_WITHOUT_CLIENTS,
        METADATA_RESTARTED,
        BOOKIE_KILLED,
        /** With its disk: another one takes its place. */
        BOOKIE_LOST,
        /** A node begins again with a clock that is off, and again with one that is right. */
        CLOCK_OFF,
        COORDINATOR_KILLED,
        PARTITIONS_MOVED;

        boolean isOfNetwork() {
            return EnumSet.of(
                            NODE_WITHOUT_METADATA,
                            NODE_WITHOUT_BOOKIES,
                            NODE_WITHOUT_TIER,
                            NODES_APART,
                            NODE_WITHOUT_CLIENTS)
                    .contains(this);
        }

        /** Takes half a minute or more. */
        boolean isLong() {
            return EnumSet.of(ROLLING_RESTART, BOOKIE_LOST, CLOCK_OFF, COORDINATOR_KILLED)
                    .contains(this);
        }
    }

    /**
     * Of a cluster with clients at work.
     *
     * @param records stored before
     * @param longest time that a cable is cut
     */
    ClusterFaults(
            Path folder, ClusterNodes cluster, ClusterWork work, History records, Duration longest, Random random) {
        this.folder = folder;
        this.cluster = cluster;
        this.work = work;
        this.records = records;
        this.longest = longest;
        this.random = random;
    }

    /** Those that can be made here, in random order. */
    static List<Fault> drawn(Random random, boolean network, boolean longOnes) {
        List<Fault> all = new ArrayList<>(List.of(Fault.values()));
        all.removeIf(each -> each.isOfNetwork() && !network || each.isLong() && !longOnes);
        Collections.shuffle(all, random);
        return all;
    }

    void strike(Fault fault) throws Exception {
        int node = 1 + random.nextInt(ClusterNodes.COUNT);
        Cut how = random.nextBoolean() ? Cut.BLACK_HOLE : Cut.RESET;
        log.add(fault + " of node " + node + (fault.isOfNetwork() ? " by " + how : ""));
        switch (fault) {
            case NODE_KILLED -> killed(node);
            case NODE_REPLACED -> new ReplacedNode(cluster, work, records).replace(node);
            case NODE_PAUSED -> paused(node);
            case ROLLING_RESTART -> rollingRestart();
            case NODE_WITHOUT_METADATA ->
                withoutServices(fault, node, how, cluster.stores().metadataPort());
            case NODE_WITHOUT_BOOKIES ->
                withoutServices(fault, node, how, cluster.stores().bookiePorts());
            case NODE_WITHOUT_TIER ->
                withoutServices(fault, node, how, cluster.stores().tierPort());
            case NODES_APART -> apart(node, how);
            case NODE_WITHOUT_CLIENTS -> {
                SluiceServer.Ports ports = cluster.node(node).ports();
                cluster.network().cutClients(node, how, ports.kafka(), ports.pulsar());
                last();
                cluster.network().mend(node);
            }
            case METADATA_RESTARTED -> {
                cluster.stores().restartMetadata();
                cluster.awaitShared();
            }
            case BOOKIE_KILLED -> {
                int bookie = random.nextInt(cluster.stores().bookiePorts().length);
                cluster.stores().killBookie(bookie);
                work.awaitProgress("bookie " + bookie + " is killed");
                cluster.stores().startBookie(bookie);
            }
            case BOOKIE_LOST -> bookieLost();
            case CLOCK_OFF -> clockOff(node);
            case COORDINATOR_KILLED -> coordinatorKilled(node);
            case PARTITIONS_MOVED -> moved();
        }
        work.awaitProgress("after " + fault + " of node " + node);
    }

    private void killed(int node) {
        cluster.node(node).kill();
        cluster.awaitServedWithout(node);
        work.awaitProgress("node " + node + " is killed");
        cluster.node(node).start();
        cluster.awaitShared();
    }

    private void paused(int node) throws Exception {
        cluster.node(node).pause();
        cluster.awaitServedWithout(node);
        last();
        work.awaitProgress("node " + node + " is paused");
        cluster.node(node).goOn();
        cluster.awaitShared();
    }

    private void rollingRestart() {
        for (int node = 1; node <= ClusterNodes.COUNT; node++) {
            cluster.stop(node);
            work.awaitProgress("node " + node + " is stopped");
            cluster.node(node).start();
            cluster.awaitShared();
        }
    }

    /** The others, which reach all, serve what the node did. */
    private void withoutServices(Fault fault, int node, Cut how, int... ports) throws Exception {
        cluster.network().cutServices(node, how, ports);
        cluster.awaitServedWithout(node);
        work.awaitProgress(fault + " " + node);
        cluster.network().mend(node);
        cluster.awaitShared();
    }

    private void apart(int node, Cut how) throws IOException {
        int other = 1 + node % ClusterNodes.COUNT;
        cluster.network().cutNodes(node, other, how);
        last();
        cluster.network().mend(node);
        cluster.network().mend(other);
    }

    /** As long as a cable is cut. */
    private void last() {
        LockSupport.parkNanos((long) (longest.toNanos() * random.nextDouble()));
    }

    private void bookieLost() throws Exception {
        int lost = random.nextInt(cluster.stores().bookiePorts().length);
        String id = cluster.stores().bookieId(lost);
        cluster.stores().killBookie(lost);
        work.awaitProgress("bookie " + lost + " is lost");
        boolean ours = random.nextBoolean() || !cluster.stores().isRecoveredWithout(lost);
        ClusterStores.Kind kind = ours ? ClusterStores.Kind.OURS : ClusterStores.Kind.STOCK;
        cluster.stores().replaceBookie(lost, kind);
        await("what bookie " + lost + " had is copied")
                .atMost(Duration.ofMinutes(5))
                .untilAsserted(() -> assertThat(cluster.status().output()).contains("ledgers that lack copies: 0"));
        await(id + " is forgotten")
                .atMost(PATIENCE)
                .untilAsserted(
                        () -> assertThat(cluster.sluice("forget", cluster.settings(9), "cluster", "forget-bookie", id))
                                .isEqualTo(new Ended(0, "Forgot bookie " + id + "\n")));
        assertThat(cluster.status().output()).doesNotContain(id);
    }

    private void clockOff(int node) throws Exception {
        SluiceServer server = cluster.node(node);
        ServerClock clock = ServerClock.in(folder.resolve("clock-" + node + "-" + log.size()));
        clock.set(random.nextBoolean() ? CLOCK_OFF : CLOCK_OFF.negated());
        cluster.stop(node);
        server.setEnvironment(clock.environment());
        server.start();
        cluster.awaitShared();
        work.awaitProgress("the clock of node " + node + " is off");
        server.kill();
        server.setEnvironment(Map.of());
        server.start();
        cluster.awaitShared();
    }

    private void coordinatorKilled(int node) throws Exception {
        SluiceServer server = cluster.node(node);
        cluster.stop(node);
        server.setEnvironment(Map.of(
                "SLUICE_JVM_OPTS",
                "-javaagent:%s=%s#%s,before,%d"
                        .formatted(
                                AgentJar.in(folder),
                                PREPARED.type(),
                                PREPARED.method(),
                                1 + random.nextInt(PREPARED.often()))));
        server.begin();
        if (server.awaitEnd(REACHED).isEmpty()) {
            log.add("no transaction was prepared at node " + node);
            server.kill();
        } else {
            assertThat(server.exitCode()).as(server::output).isEqualTo(HaltAgent.EXIT_CODE);
        }
        cluster.awaitServedWithout(node);
        work.awaitProgress("node " + node + " ended as a coordinator");
        server.setEnvironment(Map.of());
        server.start();
        cluster.awaitShared();
    }

    /** Partitions of both protocols to any containers, asked of any node. */
    private void moved() throws Exception {
        for (int moves = 0; moves < MOVES; moves++) {
            String what =
                    "/sluice/topics/move?" + partition() + "&container=" + random.nextInt(ClusterNodes.CONTAINERS);
            SluiceServer asked = cluster.node(1 + random.nextInt(ClusterNodes.COUNT));
            await(what)
                    .atMost(PATIENCE)
                    .untilAsserted(() -> assertThat(asked.ask("POST", what, ""))
                            .extracting(SluiceServer.Answer::status)
                            .isEqualTo(200));
        }
    }

    /** One that is written to, as a query. */
    private String partition() {
        return switch (random.nextInt(4)) {
            case 0 -> kafka("nodes-kafka", ClusterWork.PARTITIONS);
            case 1 -> kafka("atomic-kafka", KafkaAtomicClient.PARTITIONS);
            case 2 -> pulsar("nodes-pulsar-", ClusterWork.PARTITIONS);
            default -> pulsar("atomic-pulsar-", PulsarAtomicClient.TOPICS);
        };
    }

    private String kafka(String topic, int partitions) {
        return "topic=%s&partition=%d".formatted(topic, random.nextInt(partitions));
    }

    private String pulsar(String name, int topics) {
        return "topic=persistent://public/default/%s%d&partition=0".formatted(name, random.nextInt(topics));
    }

    /** What was done, in order. */
    @Override
    public String toString() {
        return String.join(", ", log);
    }
}
