package io.sluice.pulsar.replication.subscription;

import java.util.Map;

/**
 * Places of all clusters that correspond: a subscription that has acknowledged everything below {@code end} here has acknowledged everything up to
 * and including these places elsewhere.
 *
 * @param end offset; at least 1
 * @param places by cluster, without the server's own
 */
record Snapshot(long end, Map<String, Place> places) {
    Snapshot {
        places = Map.copyOf(places);
    }

    /** Whether all places of the other one, which has the same end, are here or before. */
    boolean isBeyond(Snapshot other) {
        return other.places.entrySet().stream().allMatch(each -> {
            Place place = places.get(each.getKey());
            return place != null && place.compareTo(each.getValue()) >= 0;
        });
    }
}
