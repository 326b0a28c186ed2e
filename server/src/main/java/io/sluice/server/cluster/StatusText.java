package io.sluice.server.cluster;

import io.sluice.server.cluster.ClusterStatus.Container;
import io.sluice.server.cluster.ClusterStatus.Node;
import io.sluice.store.wal.bookkeeper.RegisteredBookie;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.List;
import java.util.Locale;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** A cluster's status as people and programs read it. */
public final class StatusText {
    private StatusText() {}

    /** Lines for people; what is not well comes last. */
    public static String of(ClusterStatus status, List<String> findings) {
        var text = new StringBuilder();
        text.append("Cluster     ").append(status.id() == null ? "-" : status.id());
        text.append(", looked at by version ").append(status.version()).append('\n');
        text.append("Nodes       ").append(status.nodes().size()).append('\n');
        for (Node each : status.nodes()) {
            text.append("  %-12s %-9s version %s%s%n    %s%n%s%s"
                    .formatted(
                            each.id(),
                            each.state(),
                            each.version(),
                            each.rack().isEmpty() ? "" : ", rack " + each.rack(),
                            endpoints(each),
                            each.missedLogs().isEmpty() ? "" : "    misses logs " + logs(each) + "\n",
                            each.missesTier() ? "    misses the tier\n" : ""));
        }
        text.append("Containers  ").append(status.containers().size()).append('\n');
        for (Container each : status.containers()) {
            text.append("  %-6d %-12s term %-6d level %d%s%n"
                    .formatted(
                            each.id(),
                            each.owner() == null ? "no node" : each.owner(),
                            each.term(),
                            each.level(),
                            each.leaving() ? "  leaving" : ""));
        }
        text.append("Bookies     ").append(status.bookies().size()).append(", ledgers that lack copies: ");
        text.append(status.underReplicatedLedgers()).append('\n');
        for (RegisteredBookie each : status.bookies()) {
            text.append("  %-24s %s%s%n"
                    .formatted(
                            each.id(), word(each), status.unreachable().containsKey(each.id()) ? ", not reached" : ""));
        }
        text.append("Tier        bucket ").append(status.tier().bucket());
        text.append(status.tier().failure() == null ? "" : ", not reached").append('\n');
        if (findings.isEmpty()) {
            return text.append("All is well.\n").toString();
        }
        text.append("Not well    ").append(findings.size()).append('\n');
        findings.forEach(each -> text.append("  ").append(each).append('\n'));
        return text.toString();
    }

    /** Containers whose logs the node misses, in a row. */
    static String logs(Node node) {
        return node.missedLogs().stream().map(String::valueOf).collect(Collectors.joining(", "));
    }

    private static String endpoints(Node node) {
        return new TreeMap<>(node.endpoints())
                .entrySet().stream()
                        .map(each -> each.getKey() + " " + each.getValue())
                        .collect(Collectors.joining(", "));
    }

    /** The same for programs, as an object of JSON. */
    public static JsonObject json(ClusterStatus status, List<String> findings) {
        var nodes = new JsonArray();
        for (Node each : status.nodes()) {
            nodes.add(new JsonObject()
                    .put("id", each.id())
                    .put("incarnation", each.incarnation().toString())
                    .put("version", each.version())
                    .put("rack", each.rack())
                    .put("state", each.state())
                    .put("endpoints", new JsonObject(new TreeMap<>(each.endpoints())))
                    .put("missedLogs", new JsonArray(each.missedLogs()))
                    .put("missesTier", each.missesTier()));
        }
        var containers = new JsonArray();
        for (Container each : status.containers()) {
            containers.add(new JsonObject()
                    .put("container", each.id())
                    .put("owner", each.owner())
                    .put("serving", each.serving())
                    .put("term", each.term())
                    .put("durability", each.level())
                    .put("leaving", each.leaving()));
        }
        var bookies = new JsonArray();
        for (RegisteredBookie each : status.bookies()) {
            bookies.add(new JsonObject()
                    .put("id", each.id())
                    .put("state", word(each))
                    .put("host", each.host())
                    .put("port", each.port())
                    .put("failure", status.unreachable().get(each.id())));
        }
        ClusterStatus.Tier tier = status.tier();
        return new JsonObject()
                .put("cluster", status.id() == null ? null : status.id().toString())
                .put("version", status.version())
                .put("nodes", nodes)
                .put("containers", containers)
                .put("bookies", bookies)
                .put("underReplicatedLedgers", status.underReplicatedLedgers())
                .put(
                        "tier",
                        new JsonObject()
                                .put("bucket", tier.bucket())
                                .put("owner", tier.owner())
                                .put("failure", tier.failure()))
                .put("notWell", new JsonArray(findings));
    }

    private static String word(RegisteredBookie bookie) {
        return bookie.state().name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
