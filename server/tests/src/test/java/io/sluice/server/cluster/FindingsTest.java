package io.sluice.server.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.server.cluster.ClusterStatus.Container;
import io.sluice.server.cluster.ClusterStatus.Node;
import io.sluice.server.cluster.ClusterStatus.Tier;
import io.sluice.server.config.ConfigFile;
import io.sluice.store.wal.bookkeeper.RegisteredBookie;
import io.sluice.store.wal.bookkeeper.RegisteredBookie.State;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class FindingsTest {
    private static final UUID ID = new UUID(1, 2);
    private static final Tier OWN = new Tier("bucket", ID.toString(), null);
    private static final List<Container> SERVED = List.of(new Container(0, "node-1", true, 3, 1, false));
    private static final List<RegisteredBookie> THREE =
            List.of(bookie(1, State.WRITABLE), bookie(2, State.WRITABLE), bookie(3, State.WRITABLE));

    @Test
    void findsNothingInAClusterThatIsWell() {
        ClusterStatus well = status(ID, SERVED, THREE, Map.of(), 0, OWN);
        assertThat(findings(well)).isEmpty();
        assertThat(StatusText.of(well, List.of())).endsWith("All is well.\n").contains("node-1", "127.0.0.1:3182");
    }

    @Test
    void namesEachBookieThatIsNotWellAndCountsTheRest() {
        List<RegisteredBookie> bookies =
                List.of(bookie(1, State.WRITABLE), bookie(2, State.READ_ONLY), bookie(3, State.LOST));
        ClusterStatus status = status(ID, SERVED, bookies, Map.of("127.0.0.1:3181", "refused"), 2, OWN);
        assertThat(findings(status))
                .containsExactly(
                        "bookies that take writes: 0, bookkeeper.ensemble wants 3",
                        "bookie 127.0.0.1:3181 is registered and cannot be reached: refused",
                        "bookie 127.0.0.1:3182 takes no writes, its disk may be full",
                        "bookie 127.0.0.1:3183 is lost: it has been here and is not registered",
                        "2 ledgers lack copies");
        assertThat(StatusText.json(status, findings(status))
                        .getJsonArray("bookies")
                        .getJsonObject(1))
                .hasToString(
                        "{\"id\":\"127.0.0.1:3182\",\"state\":\"read-only\",\"host\":\"127.0.0.1\",\"port\":3182,\"failure\":null}");
    }

    @Test
    void namesContainersThatNoNodeServes() {
        List<Container> containers = List.of(
                new Container(0, "node-1", true, 3, 1, false),
                new Container(4, null, false, 0, 2, true),
                new Container(5, "node-1", false, 2, 1, false));
        assertThat(findings(status(ID, containers, THREE, Map.of(), 0, OWN)))
                .containsExactly(
                        "container 4 is served by no node", "container 5 is not served yet: node-1 recovers it");
    }

    @Test
    void namesNodesThatAreDeadAndVersionsThatDiffer() {
        List<Node> nodes = List.of(
                node(1, "up", "1.0"), node(2, "dead", "0.9"), node(3, "down", "0.8"), node(4, "draining", "1.1"));
        assertThat(findings(status(nodes, SERVED)))
                .containsExactly(
                        "node-2 is dead: it has not renewed its lease, and has not stopped in order",
                        "nodes run several versions: {1.0=[node-1], 1.1=[node-4]}");
        assertThat(findings(status(List.of(node(3, "down", "0.8")), SERVED))).containsExactly("no node runs");
        assertThat(StatusText.of(status(nodes, SERVED), List.of()))
                .contains("node-4       draining  version 1.1")
                .contains("    kafka 127.0.0.1:9092, pulsar 127.0.0.1:6650\n");
    }

    @Test
    void namesANodeWithoutLongTermStorage() {
        ClusterStatus status = status(List.of(node(1, "up", "1.0", List.of(), true), node(2, "up", "1.0")), SERVED);
        assertThat(findings(status)).containsExactly("node-1 says that long-term storage does not answer it");
        assertThat(StatusText.of(status, List.of()))
                .contains("    kafka 127.0.0.1:9092, pulsar 127.0.0.1:6650\n    misses the tier\n");
        assertThat(StatusText.json(status, List.of())
                        .getJsonArray("nodes")
                        .getJsonObject(0)
                        .getBoolean("missesTier"))
                .isTrue();
    }

    @Test
    void namesLogsThatANodeCannotWrite() {
        Node cutOff = node(1, "up", "1.0", List.of(0, 3), false);
        ClusterStatus status = status(List.of(cutOff, node(2, "dead", "1.0", List.of(3), false)), SERVED);
        assertThat(findings(status))
                .containsExactly(
                        "node-1 says that it cannot write the logs of containers 0, 3",
                        "node-2 is dead: it has not renewed its lease, and has not stopped in order");
        assertThat(StatusText.of(status, List.of()))
                .contains("    kafka 127.0.0.1:9092, pulsar 127.0.0.1:6650\n    misses logs 0, 3\n");
        assertThat(StatusText.json(status, List.of())
                        .getJsonArray("nodes")
                        .getJsonObject(0)
                        .getJsonArray("missedLogs"))
                .containsExactly(0, 3);
    }

    private static Node node(int number, String state, String version) {
        return node(number, state, version, List.of(), false);
    }

    private static Node node(int number, String state, String version, List<Integer> missedLogs, boolean missesTier) {
        return new Node(
                "node-" + number,
                ID,
                version,
                "",
                state,
                Map.of("pulsar", "127.0.0.1:6650", "kafka", "127.0.0.1:9092"),
                missedLogs,
                missesTier);
    }

    @Test
    void tellsABucketOfAnotherStoreFromOneThatCannotBeRead() {
        assertThat(findings(status(ID, SERVED, THREE, Map.of(), 0, new Tier("bucket", "another", null))))
                .containsExactly(
                        "bucket bucket belongs to another store (another): give each a bucket or prefix of its own");
        assertThat(findings(status(ID, SERVED, THREE, Map.of(), 0, new Tier("bucket", null, "refused"))))
                .containsExactly("bucket bucket cannot be read: refused");
        assertThat(findings(status(null, List.of(), THREE, Map.of(), 0, new Tier("bucket", null, null))))
                .containsExactly("there is no store in this metadata yet: run sluice cluster init, or start a server");
    }

    private static List<String> findings(ClusterStatus status) {
        return Findings.of(status, ConfigFile.parse("", "test").bookkeeper());
    }

    private static RegisteredBookie bookie(int number, State state) {
        return new RegisteredBookie("127.0.0.1:318" + number, state, "127.0.0.1", 3180 + number);
    }

    private static ClusterStatus status(
            @Nullable UUID id,
            List<Container> containers,
            List<RegisteredBookie> bookies,
            Map<String, String> unreachable,
            int lacking,
            Tier tier) {
        return new ClusterStatus(id, "1", List.of(node(1, "up", "1")), containers, bookies, unreachable, lacking, tier);
    }

    private static ClusterStatus status(List<Node> nodes, List<Container> containers) {
        return new ClusterStatus(ID, "1", nodes, containers, THREE, Map.of(), 0, OWN);
    }
}
