package io.sluice.broker.log.open;

import io.sluice.broker.log.PartitionLog;
import io.sluice.broker.subscription.Cursor;
import io.sluice.broker.subscription.ShareCursor;
import io.sluice.broker.subscription.Subscriptions;
import io.sluice.store.segment.Durable;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Subscriptions of a partition that is not made: none, and made before the first of them.
 *
 * @param shadow topic whose subscriptions they are; null for the partition's own
 */
record LazySubscriptions(PartitionCreator creator, @Nullable UUID shadow) implements Subscriptions {
    private Subscriptions in(PartitionLog made) {
        return shadow == null ? made.subscriptions() : made.subscriptions().ofShadow(shadow);
    }

    @Override
    public Subscriptions ofShadow(UUID topic) {
        return new LazySubscriptions(creator, topic);
    }

    @Override
    public @Nullable Cursor find(String name) {
        return null;
    }

    @Override
    public Collection<Cursor> all() {
        return List.of();
    }

    @Override
    public @Nullable String whyNot(String name, Map<String, String> properties) {
        PartitionLog log = creator.getOrCreate();
        return log == null ? creator.gone().message() : in(log).whyNot(name, properties);
    }

    @Override
    public Cursor create(String name, long startOffset, Map<String, String> properties, Durable done) {
        PartitionLog log = creator.getOrCreate();
        if (log == null) {
            throw new IllegalArgumentException(creator.gone().message());
        }
        return in(log).create(name, startOffset, properties, done);
    }

    @Override
    public void delete(String name, Durable done) {
        creator.container().barrier(done);
    }

    @Override
    public @Nullable ShareCursor findShare(String group) {
        return null;
    }

    @Override
    public @Nullable String whyNotShare(String group) {
        PartitionLog log = creator.getOrCreate();
        return log == null ? creator.gone().message() : in(log).whyNotShare(group);
    }

    @Override
    public ShareCursor createShare(String group, long startOffset, Durable done) {
        PartitionLog log = creator.getOrCreate();
        if (log == null) {
            throw new IllegalArgumentException(creator.gone().message());
        }
        return in(log).createShare(group, startOffset, done);
    }

    @Override
    public void deleteShare(String group, Durable done) {
        creator.container().barrier(done);
    }

    @Override
    public void endTransaction(String name, long transaction, int coordinatorEpoch, boolean commit, Durable done) {
        creator.container().barrier(done);
    }
}
