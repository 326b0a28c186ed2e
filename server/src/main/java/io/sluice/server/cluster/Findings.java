package io.sluice.server.cluster;

import io.sluice.server.cluster.ClusterStatus.Container;
import io.sluice.server.config.Bookies;
import io.sluice.store.wal.bookkeeper.RegisteredBookie;
import io.sluice.store.wal.bookkeeper.RegisteredBookie.State;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

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
        for (Container each : status.containers()) {
            if (each.owner() == null) {
                found.add("container " + each.id() + " is served by no node");
            }
        }
        return found;
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
