package io.sluice.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** A node is killed and begins again on an empty folder. Meanwhile starts are refused that would do harm, or could do nothing. */
final class ReplacedNode {
    private static final int RECORDS = 20;
    private static final Duration PATIENCE = Duration.ofSeconds(90);

    private final ClusterNodes cluster;
    private final ClusterWork work;
    private final History records;

    ReplacedNode(ClusterNodes cluster, ClusterWork work, History records) {
        this.cluster = cluster;
        this.work = work;
        this.records = records;
    }

    void replace(int number) throws Exception {
        SluiceServer node = cluster.node(number);
        int otherNumber = 1 + number % ClusterNodes.COUNT;
        SluiceServer other = cluster.node(otherNumber);
        CompletableFuture<?> refused = inBackground(() -> startsAreRefused(otherNumber));
        node.kill();
        delete(node.folder());
        cluster.awaitServedWithout(number);
        work.awaitProgress("node " + number + " is gone");
        records.readBack(other);
        records.produce(other, RECORDS);
        refused.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        forget(number);
        cluster.startAll();
        records.readBack(node);
    }

    private void forget(int number) throws Exception {
        Ended status = cluster.status();
        assertThat(status.output()).endsWith("""
                Not well    1
                  node-%d is dead: it has not renewed its lease, and has not stopped in order
                """.formatted(number));
        assertThat(status.code()).isEqualTo(1);
        assertThat(cluster.sluice("forget", cluster.settings(9), "cluster", "forget-node", Integer.toString(number)))
                .isEqualTo(new Ended(0, "Forgot node-" + number + "\n"));
        assertThat(cluster.status().output()).endsWith("All is well.\n");
    }

    private Void startsAreRefused(int running) throws Exception {
        String twice = "security: {allowAnonymous: true}\n" + cluster.settings(running);
        String noMetadata = cluster.settings(8).replaceFirst("url: '[^']*", "url: 'zk:127.0.0.1:1");
        String moreBookies = cluster.settings(7)
                .replaceFirst("(?m)^bookkeeper: .*$", "bookkeeper: {ensemble: 4, writeQuorum: 4, ackQuorum: 4}");
        cluster.sluice("twice", twice, "server")
                .assertOneLine("cluster.nodeId: a process with the number " + running + " runs already");
        cluster.sluice("unreachable", noMetadata, "server")
                .assertOneLine("metadata.url: the metadata store at zk:127.0.0.1:1 does not answer");
        cluster.sluice("too-few", moreBookies, "server").assertOneLine("bookkeeper.ackQuorum is 4, but 3 bookies");
        return null;
    }

    private static <T> CompletableFuture<T> inBackground(Callable<T> command) {
        var ended = new CompletableFuture<T>();
        Thread.ofVirtual().start(() -> {
            try {
                ended.complete(command.call());
            } catch (Throwable e) {
                ended.completeExceptionally(e);
            }
        });
        return ended;
    }

    private static void delete(Path root) throws IOException {
        try (Stream<Path> all = Files.walk(root)) {
            for (Path each : all.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(each);
            }
        }
    }
}
