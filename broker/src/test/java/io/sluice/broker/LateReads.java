package io.sluice.broker;

import io.sluice.broker.log.Entries;
import io.sluice.broker.log.EntriesReply;
import io.sluice.broker.log.PartitionLog;
import io.sluice.broker.topic.Partitions;
import io.sluice.broker.topic.Topic;
import io.sluice.broker.topic.TopicName;
import io.sluice.store.segment.StoreFailure;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** Partitions whose reads are answered by a thread of this class, up to 20 ms later and in any order among partitions. */
final class LateReads implements Partitions, AutoCloseable {
    private static final int LATEST_MICROS = 20_000;

    private final Partitions partitions;
    private final ScheduledExecutorService elsewhere = Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().daemon().factory());
    private final Map<PartitionLog, PartitionLog> late = new ConcurrentHashMap<>();
    private final AtomicInteger answered = new AtomicInteger();

    LateReads(Partitions partitions) {
        this.partitions = partitions;
    }

    int answered() {
        return answered.get();
    }

    @Override
    public @Nullable PartitionLog find(TopicName topic, int partition) {
        return late(partitions.find(topic, partition));
    }

    @Override
    public @Nullable PartitionLog find(Topic.Placement placement) {
        return late(partitions.find(placement));
    }

    private @Nullable PartitionLog late(@Nullable PartitionLog log) {
        return log == null ? null : late.computeIfAbsent(log, this::proxy);
    }

    private PartitionLog proxy(PartitionLog log) {
        return (PartitionLog) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {PartitionLog.class}, (proxy, method, args) -> {
                    if (method.getName().equals("read")) {
                        args[3] = new Late(new ReplyOnLoop(log.container(), (EntriesReply) args[3]));
                    }
                    try {
                        Object answer = method.invoke(log, args);
                        return answer instanceof PartitionLog made ? late(made) : answer;
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    @Override
    public void close() {
        elsewhere.close();
    }

    private final class Late implements EntriesReply {
        private final EntriesReply reply;

        Late(EntriesReply reply) {
            this.reply = reply;
        }

        private void later(Runnable answer) {
            answered.incrementAndGet();
            elsewhere.schedule(answer, ThreadLocalRandom.current().nextInt(LATEST_MICROS), TimeUnit.MICROSECONDS);
        }

        @Override
        public void entries(Entries entries) {
            later(() -> reply.entries(entries));
        }

        @Override
        public void atEnd() {
            later(reply::atEnd);
        }

        @Override
        public void outOfRange(long startOffset, long endOffset) {
            later(() -> reply.outOfRange(startOffset, endOffset));
        }

        @Override
        public void failed(StoreFailure why) {
            later(() -> reply.failed(why));
        }
    }
}
