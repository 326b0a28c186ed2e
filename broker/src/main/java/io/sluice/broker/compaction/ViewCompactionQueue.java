package io.sluice.broker.compaction;

import static io.sluice.broker.compaction.CompactionAnswers.await;

import io.sluice.broker.compaction.ViewCompactionJob.Outcome;
import io.sluice.broker.log.Isolation;
import io.sluice.broker.log.PartitionAttributes;
import io.sluice.broker.log.PartitionLog;
import io.sluice.broker.topic.Topic;
import java.io.IOException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Brings compacted views up to date on request or when enough has come, one after the other, and remembers the outcome. Any thread. */
public final class ViewCompactionQueue implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(ViewCompactionQueue.class);
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    /** Partitions that are waited for or remembered. */
    private static final int MOST = 100_000;

    private final CompactionResources with;
    private final String subscription;
    private final KeyedFormats formats;
    /** By partition id, the last to change at the end. */
    private final Map<Long, Last> last = new LinkedHashMap<>();

    private final ExecutorService thread = Executors.newSingleThreadExecutor(
            Thread.ofPlatform().daemon().name("compact-views").factory());

    /** How far the last compaction of a partition is. */
    public enum State {
        /** Since this server serves it. */
        NEVER,
        RUNNING,
        DONE,
        FAILED
    }

    /**
     * Last compactions of a partition in this process.
     *
     * @param failure why, if it has failed; else empty
     * @param removed messages that the last one that came to an end has left out
     * @param succeededAt milliseconds since the epoch; 0 if never
     * @param failedAt milliseconds since the epoch; 0 if never
     * @param durationMillis of the last one that came to an end
     */
    public record Last(
            State state, String failure, long removed, long succeededAt, long failedAt, long durationMillis) {
        static final Last NEVER = new Last(State.NEVER, "", 0, 0, 0, 0);

        private Last running() {
            return new Last(State.RUNNING, "", removed, succeededAt, failedAt, durationMillis);
        }

        private Last done(long leftOut, long began, long now) {
            return new Last(State.DONE, "", leftOut, now, failedAt, now - began);
        }

        private Last failed(String why, long began, long now) {
            return new Last(State.FAILED, why, removed, succeededAt, now, now - began);
        }
    }

    /**
     * @param subscription by this name holds in each partition what is not compacted yet against retention
     * @param formats what can be compacted
     */
    public ViewCompactionQueue(CompactionResources with, String subscription, List<KeyedEntries> formats) {
        this.with = with;
        this.subscription = subscription;
        this.formats = new KeyedFormats(formats);
    }

    /** Name of the subscription that stands for the view. */
    public String subscription() {
        return subscription;
    }

    public Last last(long partitionId) {
        synchronized (last) {
            return last.getOrDefault(partitionId, Last.NEVER);
        }
    }

    /** Compacts it soon; false if that is under way, or there are too many. */
    public boolean start(Topic topic, int partition) {
        long id = topic.partitions().get(partition).partitionId();
        synchronized (last) {
            Last before = last.getOrDefault(id, Last.NEVER);
            if (before.state == State.RUNNING || last.size() >= MOST && !forgetOne()) {
                return false;
            }
            put(id, before.running());
        }
        thread.execute(() -> compact(topic, partition, id));
        return true;
    }

    private void put(long id, Last now) {
        synchronized (last) {
            last.remove(id);
            last.put(id, now);
        }
    }

    private boolean forgetOne() {
        for (Map.Entry<Long, Last> each : last.entrySet()) {
            if (each.getValue().state != State.RUNNING) {
                last.remove(each.getKey());
                return true;
            }
        }
        return false;
    }

    /**
     * Starts the compaction of all partitions served here of which it is time; blocks for a look at each.
     *
     * @param thresholdOf bytes that may come to a partition of the topic without being compacted; 0 for any number
     * @return how many were started
     */
    public int round(ToLongFunction<Topic> thresholdOf) throws InterruptedException {
        int started = 0;
        for (Topic topic : with.catalogue().all()) {
            long threshold = topic.internal() ? 0 : thresholdOf.applyAsLong(topic);
            for (int p = 0; threshold > 0 && p < topic.partitions().size(); p++) {
                PartitionLog found = with.partitions().find(topic.partitions().get(p));
                if (found != null && bytesToCompact(found) > threshold && start(topic, p)) {
                    started++;
                }
            }
        }
        return started;
    }

    private static long bytesToCompact(PartitionLog of) throws InterruptedException {
        try {
            return await(
                    of.container().ask(() -> {
                        long from = Math.max(of.startOffset(), of.view().horizon());
                        return of.readableEnd(Isolation.COMMITTED) > from ? of.bytesAfter(from) : 0;
                    }),
                    PATIENCE);
        } catch (CompactionException e) {
            return 0; // not served any more, or busy: the next round looks again
        }
    }

    private void compact(Topic topic, int partition, long id) {
        long began = with.clock().getAsLong();
        Last before = last(id);
        String name = topic.name() + "-" + partition;
        try {
            Outcome outcome = compactOnce(topic, partition, began);
            long removed = outcome == null ? 0 : outcome.removed();
            put(id, before.done(removed, began, with.clock().getAsLong()));
            if (outcome != null) {
                with.counters().compacted(outcome.bytesBefore(), outcome.bytesAfter());
                log.info(
                        "Compacted the view of {} up to offset {}: {} bytes, {} messages went",
                        name,
                        outcome.to(),
                        outcome.bytesAfter(),
                        removed);
            }
        } catch (CompactionException | IOException | RuntimeException e) {
            with.counters().failed();
            put(
                    id,
                    before.failed(
                            String.valueOf(e.getMessage()), began, with.clock().getAsLong()));
            log.warn("Could not compact the view of {}, which stays as it is: {}", name, e.getMessage());
        } catch (InterruptedException e) {
            put(id, before.failed("the server stops", began, with.clock().getAsLong()));
            Thread.currentThread().interrupt();
        }
    }

    private @Nullable Outcome compactOnce(Topic topic, int partition, long now)
            throws CompactionException, IOException, InterruptedException {
        with.turn().lockInterruptibly();
        try {
            // it may have moved while it waited
            Topic there = with.catalogue().find(topic.id());
            PartitionLog of = there == null ? null : with.partitions().find(there, partition);
            if (of == null) {
                throw new CompactionException("the partition is not served here");
            }
            PartitionAttributes attributes =
                    new PartitionAttributes(topic.name().toString(), topic.id(), partition, of.partitionId());
            return new ViewCompactionJob(of, attributes, subscription, formats, with)
                    .run(with.ids().reserve(1), now);
        } finally {
            with.turn().unlock();
        }
    }

    /** Gives up what is under way. */
    @Override
    public void close() {
        thread.shutdownNow();
    }
}
