package io.sluice.kafka.coordinator;

import io.sluice.broker.log.EntriesReply;
import io.sluice.broker.log.PartitionLog;
import io.sluice.broker.topic.Partitions;
import io.sluice.broker.topic.Topic;
import io.sluice.broker.topic.TopicName;
import io.sluice.store.segment.StoreFailure;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Partitions with faults.
 *
 * @param failingReads how many reads still find the tier away
 */
record FaultyLogs(Partitions partitions, AtomicInteger failingReads) implements Partitions {
    @Override
    public @Nullable PartitionLog find(TopicName topic, int partition) {
        return faulty(partitions.find(topic, partition));
    }

    @Override
    public @Nullable PartitionLog find(Topic.Placement placement) {
        return faulty(partitions.find(placement));
    }

    private @Nullable PartitionLog faulty(@Nullable PartitionLog log) {
        if (log == null) {
            return null;
        }
        return (PartitionLog) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {PartitionLog.class}, (proxy, method, args) -> {
                    if (method.getName().equals("read") && failingReads.getAndDecrement() > 0) {
                        ((EntriesReply) args[3]).failed(new StoreFailure.TierUnavailable("the tier is away"));
                        return null;
                    }
                    try {
                        return method.invoke(log, args);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }
}
