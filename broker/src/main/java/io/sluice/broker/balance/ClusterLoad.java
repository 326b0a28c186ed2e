package io.sluice.broker.balance;

import io.sluice.broker.balance.LoadSample.ContainerLoad;
import io.sluice.broker.balance.LoadSample.PartitionLoad;
import io.sluice.broker.cluster.Cluster;
import io.sluice.broker.cluster.ClusterNode;
import io.sluice.broker.peer.PeerException;
import io.sluice.broker.peer.PeerException.Reason;
import io.sluice.broker.peer.PeerHandlers;
import io.sluice.broker.peer.PeerKinds;
import io.sluice.broker.peer.PeerQuestion;
import io.sluice.broker.peer.Peers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Load of the containers of all nodes: measures that of this node, and asks the others for theirs. Each node measures whenever it is asked,
 * so a sample shows what the last round has moved. Nodes that do not answer are left out, with their containers.
 */
public final class ClusterLoad implements LoadSource {
    private static final Logger log = LoggerFactory.getLogger(ClusterLoad.class);
    private static final Duration ANSWER = Duration.ofSeconds(10);

    private final LoadSource here;
    private final Cluster cluster;
    private final Peers peers;
    private final LongSupplier clock;
    private final ReentrantLock measuring = new ReentrantLock();

    /** @param clock milliseconds, which only rise; that of {@code here} */
    public ClusterLoad(LoadSource here, Cluster cluster, Peers peers, LongSupplier clock) {
        this.here = here;
        this.cluster = cluster;
        this.peers = peers;
        this.clock = clock;
    }

    /** Tells other nodes what this one has to do, from now on. */
    public void answer(PeerHandlers handlers, Executor tasks) {
        handlers.add(PeerKinds.MEASURE_LOAD, 0, asked -> {
            CompletableFuture<byte[]> answer = new CompletableFuture<>();
            tasks.execute(() -> {
                try {
                    answer.complete(measured());
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                    answer.completeExceptionally(new PeerException(Reason.OVERLOADED, "the node stops"));
                } catch (RuntimeException e) {
                    answer.completeExceptionally(e);
                }
            });
            return answer;
        });
    }

    private byte[] measured() throws InterruptedException {
        if (!measuring.tryLock()) {
            throw new PeerException(Reason.OVERLOADED, "the load is being measured");
        }
        try {
            byte[] bytes = LoadFrames.write(here.sample(), clock.getAsLong());
            if (bytes.length > Peers.MOST_BYTES) {
                throw new PeerException(
                        Reason.REFUSED, "the figures of all partitions take " + bytes.length + " bytes");
            }
            return bytes;
        } finally {
            measuring.unlock();
        }
    }

    @Override
    public LoadSample sample() throws InterruptedException {
        Map<Integer, CompletableFuture<byte[]>> asked = new HashMap<>();
        var question = new PeerQuestion(PeerKinds.MEASURE_LOAD, (short) 0, new byte[0]);
        for (ClusterNode each : cluster.nodes()) {
            if (!cluster.isSelf(each)) {
                asked.put(each.id(), peers.ask(each.id(), question, ANSWER));
            }
        }
        List<LoadSample> samples = new ArrayList<>();
        measuring.lockInterruptibly();
        try {
            samples.add(here.sample());
        } finally {
            measuring.unlock();
        }
        for (var each : asked.entrySet()) {
            LoadSample answer = answerOf(each.getKey(), each.getValue());
            if (answer != null) {
                samples.add(answer);
            }
        }
        return joined(samples);
    }

    private @Nullable LoadSample answerOf(int node, CompletableFuture<byte[]> answer) throws InterruptedException {
        try {
            return LoadFrames.read(answer.get(), clock.getAsLong());
        } catch (ExecutionException e) {
            PeerException why = PeerException.in(e);
            if (why == null) {
                throw new IllegalStateException("the load of node " + node + " cannot be asked for", e);
            }
            log.debug("Node {} does not tell its load: {}", node, why.getMessage());
        } catch (IndexOutOfBoundsException | IllegalArgumentException e) {
            log.warn("The load of node {} cannot be read: {}", node, e.getMessage());
        }
        return null;
    }

    /** A container that has just moved may be in two samples: the first one has it. Loops of two nodes have numbers of their own. */
    private static LoadSample joined(List<LoadSample> samples) {
        List<PartitionLoad> partitions = new ArrayList<>();
        List<ContainerLoad> containers = new ArrayList<>();
        Set<Integer> known = new HashSet<>();
        int loops = 0;
        for (LoadSample sample : samples) {
            Set<Integer> news = new HashSet<>();
            int most = 0;
            for (ContainerLoad each : sample.containers()) {
                if (known.add(each.id())) {
                    news.add(each.id());
                    containers.add(each.onLoop(loops + each.strain().loop()));
                    most = Math.max(most, each.strain().loop() + 1);
                }
            }
            loops += most;
            sample.partitions().stream()
                    .filter(each -> news.contains(each.container()))
                    .forEach(partitions::add);
        }
        return new LoadSample(partitions, containers);
    }
}
