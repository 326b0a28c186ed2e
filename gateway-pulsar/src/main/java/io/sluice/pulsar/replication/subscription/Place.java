package io.sluice.pulsar.replication.subscription;

import java.util.Comparator;

/** Message id in the log of a cluster, which alone knows what it means; ids rise there. */
record Place(long ledger, long entry) implements Comparable<Place> {
    private static final Comparator<Place> ORDER =
            Comparator.comparingLong(Place::ledger).thenComparingLong(Place::entry);

    @Override
    public int compareTo(Place other) {
        return ORDER.compare(this, other);
    }
}
