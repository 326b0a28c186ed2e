package io.sluice.broker.log.open;

import io.sluice.broker.log.PartitionLog;
import io.sluice.broker.subscription.Cursor;
import io.sluice.broker.subscription.ShareCursor;
import io.sluice.broker.subscription.Subscriptions;
import io.sluice.store.segment.Durable;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Subscriptions of a partition that is not made: none, and made before the first of them. */
record LazySubscriptions(PartitionCreator creator) implements Subscriptions {
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
        return log == null ? creator.gone().message() : log.subscriptions().whyNot(name, properties);
    }

    @Override
    public Cursor create(String name, long startOffset, Map<String, String> properties, Durable done) {
        PartitionLog log = creator.getOrCreate();
        if (log == null) {
            throw new IllegalArgumentException(creator.gone().message());
        }
        return log.subscriptions().create(name, startOffset, properties, done);
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
        return log == null ? creator.gone().message() : log.subscriptions().whyNotShare(group);
    }

    @Override
    public ShareCursor createShare(String group, long startOffset, Durable done) {
        PartitionLog log = creator.getOrCreate();
        if (log == null) {
            throw new IllegalArgumentException(creator.gone().message());
        }
        return log.subscriptions().createShare(group, startOffset, done);
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
