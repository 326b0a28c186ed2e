package io.sluice.kafka.share;

import io.sluice.broker.log.PartitionLog;
import io.sluice.broker.subscription.ShareCursor;
import io.sluice.kafka.api.KafkaErrors;
import io.sluice.store.segment.Durable;
import io.sluice.store.segment.LoopTask;
import io.sluice.store.segment.StoreFailure;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.apache.kafka.common.protocol.Errors;
import org.jspecify.annotations.Nullable;

/**
 * Share groups in partitions that are served here, as long as members read them. Each is touched on the loop of its partition's container only;
 * where nothing else is said, so are the methods of this.
 */
final class SharePartitions {
    private final ShareSettings settings;
    private final Map<ShareKey, SharePartition> all = new ConcurrentHashMap<>();

    SharePartitions(ShareSettings settings) {
        this.settings = settings;
    }

    /** Null if nobody has read it for the group in this term. */
    @Nullable
    SharePartition find(String group, PartitionLog log) {
        SharePartition known = all.get(new ShareKey(group, log.partitionId()));
        return known != null && known.isOn(log) ? known : null;
    }

    /**
     * Opens it; a group that has not been there begins where its settings say.
     *
     * @param refused called instead
     */
    void open(String group, PartitionLog found, Consumer<SharePartition> opened, Consumer<Errors> refused) {
        SharePartition known = find(group, found);
        if (known != null) {
            opened.accept(known);
            return;
        }
        PartitionLog log = found.createIfMissing();
        ShareCursor cursor = log.subscriptions().findShare(group);
        if (cursor != null) {
            opened.accept(add(group, log, cursor));
            return;
        }
        if (log.subscriptions().whyNotShare(group) != null) {
            refused.accept(Errors.KAFKA_STORAGE_ERROR);
            return;
        }
        start(group, log, offset -> opened.accept(create(group, log, offset)), refused);
    }

    /** Another member may have come first while the beginning was looked for. */
    private SharePartition create(String group, PartitionLog log, long offset) {
        SharePartition known = find(group, log);
        return known != null ? known : add(group, log, log.subscriptions().createShare(group, offset, Durable.IGNORED));
    }

    private SharePartition add(String group, PartitionLog log, ShareCursor cursor) {
        ShareKey key = new ShareKey(group, log.partitionId());
        SharePartition made = new SharePartition(key, log, cursor, () -> settings.of(group));
        SharePartition before = all.put(key, made);
        if (before != null && before.log().container() == log.container()) {
            before.end();
        }
        return made;
    }

    private void start(String group, PartitionLog log, Consumer<Long> found, Consumer<Errors> refused) {
        var strategy = settings.of(group).start();
        switch (strategy.type()) {
            case EARLIEST -> found.accept(log.startOffset());
            case LATEST -> found.accept(log.durableEnd());
            case BY_DURATION ->
                log.offsetAtTime(strategy.timestamp(), new PartitionLog.TimeReply() {
                    @Override
                    public void found(PartitionLog.OffsetAndTime base) {
                        found.accept(base.offset() < 0 ? log.durableEnd() : Math.max(base.offset(), log.startOffset()));
                    }

                    @Override
                    public void failed(StoreFailure why) {
                        refused.accept(KafkaErrors.toConsumer(why));
                    }
                });
        }
    }

    /** The group's cursor in the partition was set or deleted. */
    void forget(String group, PartitionLog log) {
        SharePartition known = all.remove(new ShareKey(group, log.partitionId()));
        if (known != null && known.log().container() == log.container()) {
            known.end();
        }
    }

    /** Forgets those that nobody reads, and those of terms that have ended. Any thread. */
    void sweep() {
        for (SharePartition each : all.values()) {
            each.log()
                    .container()
                    .execute(LoopTask.of(
                            () -> {
                                if (each.isIdle()) {
                                    all.remove(each.key(), each);
                                    each.end();
                                }
                            },
                            why -> all.remove(each.key(), each)));
        }
    }

    /** Number of them. Any thread. */
    int size() {
        return all.size();
    }
}
