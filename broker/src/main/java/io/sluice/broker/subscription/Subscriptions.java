package io.sluice.broker.subscription;

import static java.util.stream.Collectors.toMap;

import io.sluice.store.segment.Durable;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** The durable subscriptions of one partition. Loop only; changes are notes of the partition's segment. */
public interface Subscriptions {
    /** Subscriptions a partition may have. */
    int MAX = 2_000;

    /** UTF-8 bytes that a subscription's name and properties may have together. */
    int MAX_NAME_AND_PROPERTIES = 32 << 10;

    /** Name of the subscription that has acknowledged what is compacted, as in Pulsar: each partition has its own, or none. */
    String COMPACTION = "__compaction";

    /** Begins the names under which Pulsar's admin clients see Kafka's groups; no new subscription has one of those. */
    String GROUP_PREFIX = "_group.";

    /** Begins the names under which share groups of Kafka's clients are stored; no new subscription has one of those. */
    String SHARE_PREFIX = "_share.";

    /** Names of what is sent to other clusters begin with it, as in Pulsar: each is followed by the other cluster's name. */
    String REPLICATOR = "pulsar.repl.";

    /** Name of the subscription that has acknowledged what another cluster has of the partition. */
    static String ofReplicator(String cluster) {
        return REPLICATOR + cluster;
    }

    static boolean isReplicator(String name) {
        return name.startsWith(REPLICATOR);
    }

    /** The other cluster of a {@linkplain #isReplicator replicator's} subscription. */
    static String clusterOf(String name) {
        return name.substring(REPLICATOR.length());
    }

    /** Whether it is none that clients made or use: the server's own, for compaction and replication. */
    static boolean isInternal(String name) {
        return name.equals(COMPACTION) || isReplicator(name);
    }

    @Nullable
    Cursor find(String name);

    /** Without subscriptions of shadow topics. */
    Collection<Cursor> all();

    /** Subscriptions of a shadow topic, which has this partition's messages. */
    Subscriptions ofShadow(UUID topic);

    /** Properties by the name under which a subscription is stored; those of shadow topics, too. */
    default Map<String, Map<String, String>> stored() {
        return all().stream().collect(toMap(Cursor::name, Cursor::properties));
    }

    /** Subscriptions of the topic to which one of a {@linkplain #stored stored} name belongs: these, or a shadow topic's. */
    default Subscriptions ofStored(String stored) {
        ShadowSubscription shadow = ShadowSubscription.parse(stored);
        return shadow == null ? this : ofShadow(shadow.topic());
    }

    /**
     * Why {@link #create} would be refused, for the client: over {@link #MAX} or {@link #MAX_NAME_AND_PROPERTIES}, or a name with
     * {@link #GROUP_PREFIX} or {@link #SHARE_PREFIX}, or of a {@link ShadowSubscription}. Null if it would not, as for a subscription that
     * exists. All shadow topics of a partition together have as many subscriptions as the partition itself may have.
     */
    @Nullable
    String whyNot(String name, Map<String, String> properties);

    /** Why clients cannot give a new subscription this name; null if they can. */
    static @Nullable String whyReserved(String name) {
        if (name.startsWith(GROUP_PREFIX) || name.startsWith(SHARE_PREFIX)) {
            return "names that begin with " + GROUP_PREFIX + " or " + SHARE_PREFIX + " are those of Kafka's groups";
        }
        return ShadowSubscription.parse(name) == null
                ? null
                : "names that begin with " + ShadowSubscription.PREFIX + " and an id are those of shadow topics";
    }

    /** Why a subscription cannot have this name and these properties, which take too much room together; null if it can. */
    static @Nullable String tooLarge(String name, Map<String, String> properties) {
        long bytes = utf8Length(name);
        for (Map.Entry<String, String> property : properties.entrySet()) {
            bytes += utf8Length(property.getKey()) + utf8Length(property.getValue());
        }
        return bytes <= MAX_NAME_AND_PROPERTIES
                ? null
                : "name and properties of a subscription take " + bytes + " bytes, over " + MAX_NAME_AND_PROPERTIES;
    }

    private static long utf8Length(String text) {
        return text.getBytes(StandardCharsets.UTF_8).length;
    }

    /**
     * Creates a subscription whose first offset to deliver is {@code startOffset}; returns the one that exists if there is
     * one. Usable at once; {@code done} says when it is durable.
     *
     * @throws IllegalArgumentException where {@link #whyNot} says so: ask it first
     */
    Cursor create(String name, long startOffset, Map<String, String> properties, Durable done);

    void delete(String name, Durable done);

    /** Deletes all, and the cursors of a shadow topic's share groups. */
    default void deleteAll() {
        List.copyOf(all()).forEach(each -> delete(each.name(), Durable.IGNORED));
    }

    /** Finds the cursor of a share group. These are no subscriptions: they are not among {@link #all}, and keep no entry from being deleted. */
    @Nullable
    ShareCursor findShare(String group);

    /** Why {@link #createShare} would be refused; null if it would not, as for a group that has a cursor here. */
    @Nullable
    String whyNotShare(String group);

    /**
     * Creates the cursor of a share group; returns the one that exists if there is one.
     *
     * @throws IllegalArgumentException where {@link #whyNotShare} says so: ask it first
     */
    ShareCursor createShare(String group, long startOffset, Durable done);

    void deleteShare(String group, Durable done);

    /**
     * See {@link Cursor#endTransaction}; without the subscription a no-op, too, and so is the end by a coordinator that another one has
     * followed: it may be the end of an earlier transaction of a producer that keeps its id. {@code done} says when that is durable.
     *
     * @param coordinatorEpoch rises with each coordinator of the transaction's id
     */
    void endTransaction(String name, long transaction, int coordinatorEpoch, boolean commit, Durable done);
}
