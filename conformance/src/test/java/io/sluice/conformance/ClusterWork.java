package io.sluice.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.conformance.clients.CrashLoad;
import io.sluice.conformance.clients.KafkaCrashClient;
import io.sluice.conformance.clients.PulsarCrashClient;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Clients that work while faults happen to a cluster, and their books: writers of single partitions, transactions over partitions of
 * several nodes with readers of what is committed, a group's offsets, acknowledgements, and clients of other languages. None may fail.
 */
final class ClusterWork implements AutoCloseable {
    /** Partitions of each protocol that have a writer of their own. */
    static final int PARTITIONS = 2;

    /** A record every 40 ms: some are on their way at each fault, and three nodes with their stores have two cores. */
    private static final CrashLoad.Shape LOAD = new CrashLoad.Shape(50, 100, 1, 40_000_000);

    private static final Duration PATIENCE = Duration.ofSeconds(120);

    private final List<CrashLoad> loads = new ArrayList<>();
    private final List<AtomicWrites> transactions = new ArrayList<>();
    private final CommittedOffsets offsets;
    private final AcknowledgedOnce acknowledged;
    private final FollowingClients others;

    private ClusterWork(Path folder, List<SluiceServer> nodes) throws Exception {
        String kafka = SluiceServer.kafka(nodes);
        String pulsar = SluiceServer.pulsar(nodes);
        for (int n = 0; n < PARTITIONS; n++) {
            loads.add(new CrashLoad(new KafkaCrashClient(kafka, "nodes-kafka", n, PARTITIONS), LOAD));
            loads.add(new CrashLoad(new PulsarCrashClient(pulsar, "nodes-pulsar-" + n), LOAD));
        }
        transactions.add(new AtomicWrites(new KafkaAtomicClient(kafka, "atomic-kafka")));
        transactions.add(new AtomicWrites(new PulsarAtomicClient(pulsar, "atomic-pulsar")));
        offsets = new CommittedOffsets(kafka, "nodes-kafka");
        acknowledged = new AcknowledgedOnce(pulsar, "nodes-pulsar-0");
        others = FollowingClients.start(folder, nodes.getFirst(), nodes.getLast());
    }

    /** Starts, and returns when all go on. */
    static ClusterWork start(Path folder, List<SluiceServer> nodes) throws Exception {
        var work = new ClusterWork(folder, nodes);
        try {
            work.loads.forEach(CrashLoad::start);
            work.transactions.forEach(AtomicWrites::start);
            work.offsets.start();
            work.acknowledged.start();
            work.awaitProgress("at the start");
            return work;
        } catch (Throwable e) {
            work.close();
            throw e;
        }
    }

    /** Each gets something done that it had not when this is called. */
    void awaitProgress(String context) {
        CrashLoad.awaitProgress(context, loads);
        List<Long> before =
                transactions.stream().map(AtomicWrites::readEverywhere).toList();
        long commits = offsets.commits();
        long confirmed = acknowledged.acknowledged();
        await(context).atMost(PATIENCE).untilAsserted(() -> {
            for (int n = 0; n < transactions.size(); n++) {
                AtomicWrites each = transactions.get(n);
                assertThat(each.readEverywhere())
                        .as("%s: read everywhere", each)
                        .isGreaterThan(before.get(n));
            }
            assertThat(offsets.commits()).as("commits of offsets").isGreaterThan(commits);
            assertThat(acknowledged.acknowledged()).as("acknowledgements").isGreaterThan(confirmed);
        });
    }

    /** All end, and their books are checked. */
    void finish(String context) throws Exception {
        others.finish();
        for (CrashLoad load : loads) {
            load.finish();
        }
        for (AtomicWrites each : transactions) {
            each.finish();
        }
        offsets.finish();
        acknowledged.finish();
        for (CrashLoad load : loads) {
            load.checkNothingLost(context);
        }
        for (AtomicWrites each : transactions) {
            each.checkAtomic(context);
        }
    }

    @Override
    public void close() {
        others.close();
    }
}
