package io.sluice.broker.subscription;

import io.sluice.store.segment.Durable;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Subscriptions of one shadow topic among those of a partition. */
record ShadowSubscriptions(Partition partition, UUID topic) implements Subscriptions {
    /** Subscriptions of a partition by their stored names; see {@link ShadowSubscription}. */
    interface Partition {
        @Nullable
        ShareCursor findStored(String stored);

        /** Names of all cursors that begin so, of share groups too. */
        List<String> storedNames(String beginning);

        /** Subscriptions of shadow topics whose stored names begin so. */
        Collection<Cursor> ofShadows(String beginning);

        /** Why there is no room for one; null if there is, or it exists. */
        @Nullable
        String whyNoRoom(String stored, Map<String, String> properties);

        ShareCursor createStored(String stored, long startOffset, Map<String, String> properties, Durable done);

        void deleteStored(String stored, Durable done);

        /** See {@link Subscriptions#endTransaction}. */
        void endStored(String stored, long transaction, int coordinatorEpoch, boolean commit, Durable done);

        /** See {@link Subscriptions#ofShadow}. */
        Subscriptions ofShadow(UUID topic);
    }

    /** No subscription has the name of a share group, nor one that begins as those of groups. */
    private String stored(String name) {
        return new ShadowSubscription(topic, name.startsWith(SHARE_PREFIX) ? GROUP_PREFIX : name).stored();
    }

    private String storedShare(String group) {
        return new ShadowSubscription(topic, SHARE_PREFIX + group).stored();
    }

    @Override
    public @Nullable Cursor find(String name) {
        return partition.findStored(stored(name));
    }

    @Override
    public Collection<Cursor> all() {
        return partition.ofShadows(stored(""));
    }

    @Override
    public @Nullable String whyNot(String name, Map<String, String> properties) {
        String reserved = Subscriptions.whyReserved(name);
        return reserved == null || find(name) != null ? partition.whyNoRoom(stored(name), properties) : reserved;
    }

    @Override
    public Cursor create(String name, long startOffset, Map<String, String> properties, Durable done) {
        String why = whyNot(name, properties);
        if (why != null) {
            throw new IllegalArgumentException(why);
        }
        return partition.createStored(stored(name), startOffset, properties, done);
    }

    @Override
    public void delete(String name, Durable done) {
        partition.deleteStored(stored(name), done);
    }

    @Override
    public void endTransaction(String name, long transaction, int coordinatorEpoch, boolean commit, Durable done) {
        partition.endStored(stored(name), transaction, coordinatorEpoch, commit, done);
    }

    @Override
    public void deleteAll() {
        partition.storedNames(stored("")).forEach(each -> partition.deleteStored(each, Durable.IGNORED));
    }

    @Override
    public @Nullable ShareCursor findShare(String group) {
        return partition.findStored(storedShare(group));
    }

    @Override
    public @Nullable String whyNotShare(String group) {
        return partition.whyNoRoom(storedShare(group), Map.of());
    }

    @Override
    public ShareCursor createShare(String group, long startOffset, Durable done) {
        String why = whyNotShare(group);
        if (why != null) {
            throw new IllegalArgumentException(why);
        }
        return partition.createStored(storedShare(group), startOffset, Map.of(), done);
    }

    @Override
    public void deleteShare(String group, Durable done) {
        partition.deleteStored(storedShare(group), done);
    }

    @Override
    public Subscriptions ofShadow(UUID other) {
        return partition.ofShadow(other);
    }
}
