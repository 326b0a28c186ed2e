package io.sluice.server.cluster;

import io.sluice.server.cluster.ClusterStatus.Container;
import io.sluice.server.cluster.ClusterStatus.Node;
import io.sluice.server.config.Bookies;
import io.sluice.store.wal.bookkeeper.RegisteredBookie;
import io.sluice.store.wal.bookkeeper.RegisteredBookie.State;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;

/** Decides what is not well in a cluster. Pure. */
public final class Findings {
    private Findings() {}

    /** Findings in one line each, the gravest first; empty if all is well. */
    public static List<String> of(ClusterStatus status, Bookies settings) {
        List<String> found = new ArrayList<>();
        if (status.id() == null) {
            found.add("there is no store in this metadata yet: run sluice cluster init, or start a server");
        }
        tier(status, found);
        bookies(status, settings, found);
        nodes(status, found);
        status.containers().forEach(each -> container(each, found));
        return found;
    }

    private static void nodes(ClusterStatus status, List<String> found) {
        if (status.id() != null && status.nodes().stream().noneMatch(Node::runs)) {
            found.add("no node runs");
        }
        SortedMap<String, List<String>> versions = new TreeMap<>();
        for (Node each : status.nodes()) {
            if (each.state().equals(Node.DEAD)) {
                found.add(each.id() + " is dead: it has not renewed its lease, and has not stopped in order");
            } else if (each.runs()) {
                versions.computeIfAbsent(each.version(), none -> new ArrayList<>())
                        .add(each.id());
                if (each.missesTier()) {
                    found.add(each.id() + " says that long-term storage does not answer it");
                }
                if (!each.missedLogs().isEmpty()) {
                    found.add(each.id() + " says that it cannot write the logs of containers " + StatusText.logs(each));
                }
            }
        }
        if (versions.size() > 1) {
            found.add("nodes run several versions: " + versions);
        }
    }

    private static void container(Container container, List<String> found) {
        if (container.owner() == null) {
            found.add("container " + container.id() + " is served by no node");
        } else if (!container.serving()) {
            found.add("container " + container.id() + " is not served yet: " + container.owner() + " recovers it");
        }
    }

    private static void tier(ClusterStatus status, List<String> found) {
        ClusterStatus.Tier tier = status.tier();
        if (tier.failure() != null) {
            found.add("bucket " + tier.bucket() + " cannot be read: " + tier.failure());
        } else if (tier.owner() == null) {
            if (status.id() != null) {
                found.add("bucket " + tier.bucket() + " is marked as no store's: the next start of a node marks it");
            }
        } else if (!tier.owner().equals(Objects.toString(status.id(), ""))) {
            found.add("bucket " + tier.bucket() + " belongs to another store (" + tier.owner()
                    + "): give each a bucket or prefix of its own");
        }
    }

    private static void bookies(ClusterStatus status, Bookies settings, List<String> found) {
        long usable = status.bookies().stream()
                .filter(each ->
                        each.state() == State.WRITABLE && !status.unreachable().containsKey(each.id()))
                .count();
        if (usable < settings.ensemble()) {
            found.add("bookies that take writes: " + usable + ", bookkeeper.ensemble wants " + settings.ensemble());
        }
        for (RegisteredBookie each : status.bookies()) {
            String failure = status.unreachable().get(each.id());
            switch (each.state()) {
                case LOST -> found.add("bookie " + each.id() + " is lost: it has been here and is not registered");
                case READ_ONLY -> found.add("bookie " + each.id() + " takes no writes, its disk may be full");
                case WRITABLE -> {}
            }
            if (failure != null) {
                found.add("bookie " + each.id() + " is registered and cannot be reached: " + failure);
            }
        }
        int lacking = status.underReplicatedLedgers();
        if (lacking > 0) {
            found.add((lacking >= ClusterStatus.MOST_LEDGERS ? "at least " : "")
                    + lacking
                    + (lacking == 1 ? " ledger lacks copies" : " ledgers lack copies"));
        }
    }
}
