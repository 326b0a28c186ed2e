package io.sluice.pulsar.replication.subscription;

import java.util.Map;

/** Markers of replicated subscriptions, which lie between the messages of a topic and go the way of its messages. */
sealed interface Marker {
    /** Asks all other clusters where they are. */
    record Request(String id, String from) implements Marker {}

    /**
     * Answer to a request.
     *
     * @param to cluster that has asked
     * @param place of the request in {@code cluster}
     */
    record Response(String id, String to, String cluster, Place place) implements Marker {}

    /**
     * A complete snapshot; stays in its cluster.
     *
     * @param here last message before it
     * @param places of the other clusters
     */
    record Taken(String id, String cluster, Place here, Map<String, Place> places) implements Marker {}

    /**
     * A subscription has acknowledged everything up to and including these places.
     *
     * @param places by cluster
     */
    record Update(String subscription, Map<String, Place> places) implements Marker {}
}
