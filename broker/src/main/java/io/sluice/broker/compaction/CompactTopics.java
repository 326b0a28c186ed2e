package io.sluice.broker.compaction;

import io.sluice.broker.compaction.CompactPartition.Outcome;
import io.sluice.broker.compaction.CompactPartition.Resources;
import io.sluice.broker.compaction.CompactionPolicy.Dirt;
import io.sluice.broker.log.Companions;
import io.sluice.broker.log.Companions.Companion;
import io.sluice.broker.log.PartitionAttributes;
import io.sluice.broker.log.PartitionCompaction;
import io.sluice.broker.log.PartitionLog;
import io.sluice.broker.topic.Partitions;
import io.sluice.broker.topic.SegmentIds;
import io.sluice.broker.topic.Topic;
import io.sluice.broker.topic.Topic.Placement;
import io.sluice.broker.topic.TopicCatalogue;
import io.sluice.store.segment.Durable;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Goes round all partitions served here and compacts those of which it is time, the dirtiest first, one at a time. Blocking; one thread.
 * Whatever fails is tried again in the next round.
 */
public final class CompactTopics {
    private static final Logger log = LoggerFactory.getLogger(CompactTopics.class);
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final int MOST_FAILED = 1_000;

    private final TopicCatalogue catalogue;
    private final Partitions partitions;
    private final Companions companions;
    private final SegmentIds ids;
    private final Resources resources;
    private final CompactionPolicy internal;
    private final LongSupplier clock;
    private final Counters counters = new Counters();
    /** Partitions whose last compaction failed: said once. */
    private final Set<String> failed = new HashSet<>();

    /**
     * @param formats what can be compacted
     * @param mapBytes memory for the last offsets of keys while a partition is compacted
     * @param objectBytes memory for what is on its way to long-term storage then
     * @param internal of internal topics, the logs of coordinators
     * @param clock milliseconds since the epoch
     */
    public CompactTopics(
            TopicCatalogue catalogue,
            Partitions partitions,
            Companions companions,
            SegmentIds ids,
            List<KeyedEntries> formats,
            long mapBytes,
            int objectBytes,
            CompactionPolicy internal,
            LongSupplier clock) {
        this.catalogue = catalogue;
        this.partitions = partitions;
        this.companions = companions;
        this.ids = ids;
        Map<Byte, KeyedEntries> byTag = new HashMap<>();
        formats.forEach(format -> byTag.put(format.format(), format));
        this.resources = new Resources(byTag, mapBytes, objectBytes);
        this.internal = internal;
        this.clock = clock;
    }

    /** What was done since the process began; only rises. */
    public static final class Counters {
        private final LongAdder compactions = new LongAdder();
        private final LongAdder failures = new LongAdder();
        private final LongAdder readBytes = new LongAdder();
        private final LongAdder writtenBytes = new LongAdder();

        public long compactions() {
            return compactions.sum();
        }

        /** Compactions that were given up, to be tried again. */
        public long failures() {
            return failures.sum();
        }

        /** Bytes that compactions have read to copy what stays. */
        public long readBytes() {
            return readBytes.sum();
        }

        /** Bytes that stayed. */
        public long writtenBytes() {
            return writtenBytes.sum();
        }
    }

    public Counters counters() {
        return counters;
    }

    private record Candidate(Topic topic, int partition, PartitionLog log, CompactionPolicy policy, Dirt dirt) {
        String name() {
            return topic.name() + "-" + partition;
        }
    }

    /** One round. Returns how many partitions were compacted. */
    public int round() throws InterruptedException {
        removeOrphans();
        List<Candidate> due = new ArrayList<>();
        for (Topic topic : catalogue.all()) {
            CompactionPolicy policy = CompactionPolicy.of(topic, internal);
            if (policy != null) {
                for (int p = 0; p < topic.partitions().size(); p++) {
                    Candidate candidate = look(topic, p, policy);
                    if (candidate != null && policy.isDue(candidate.dirt, clock.getAsLong())) {
                        due.add(candidate);
                    }
                }
            }
        }
        due.sort(Comparator.comparingDouble((Candidate candidate) -> candidate.dirt.ratio())
                .reversed());
        int done = 0;
        for (Candidate candidate : due) {
            done += compact(candidate) ? 1 : 0;
        }
        return done;
    }

    private @Nullable Candidate look(Topic topic, int partition, CompactionPolicy policy) throws InterruptedException {
        PartitionLog found = partitions.find(topic.partitions().get(partition));
        if (found == null) {
            return null;
        }
        long olderThan = policy.olderThan(clock.getAsLong());
        try {
            Dirt dirt = new LoopSteps(found.container(), PATIENCE).await(step -> step.complete(dirt(found, olderThan)));
            return new Candidate(topic, partition, found, policy, dirt);
        } catch (CompactionException e) {
            return null; // not served any more, or busy: the next round looks again
        }
    }

    private static Dirt dirt(PartitionLog of, long olderThan) {
        PartitionCompaction compaction = of.compaction();
        long start = of.startOffset();
        long dirtyFrom = Math.max(start, compaction.compactedTo());
        long end = compaction.cleanableTo(olderThan).offset();
        return new Dirt(
                compaction.bytesBetween(start, dirtyFrom),
                compaction.bytesBetween(dirtyFrom, end),
                compaction.timeOf(dirtyFrom));
    }

    private boolean compact(Candidate candidate) throws InterruptedException {
        long began = clock.getAsLong();
        try {
            PartitionAttributes attributes = new PartitionAttributes(
                    candidate.topic.name().toString(),
                    candidate.topic.id(),
                    candidate.partition,
                    candidate.log.partitionId());
            CompactPartition compaction = new CompactPartition(candidate.log, attributes, candidate.policy, resources);
            Outcome outcome = compaction.run(ids.reserve(1), began);
            if (outcome == null) {
                return false;
            }
            counters.compactions.increment();
            failed.remove(candidate.name());
            counters.readBytes.add(outcome.bytesBefore());
            counters.writtenBytes.add(outcome.bytesAfter());
            log.info(
                    "Compacted {} up to offset {}: {} bytes are left of {}, by {} keys, in {} ms",
                    candidate.name(),
                    outcome.to(),
                    outcome.bytesAfter(),
                    outcome.bytesBefore(),
                    outcome.keys(),
                    clock.getAsLong() - began);
            return true;
        } catch (CompactionException | IOException e) {
            counters.failures.increment();
            if (failed.size() < MOST_FAILED && failed.add(candidate.name())) {
                log.warn(
                        "Could not compact {}, which stays as it is; every round tries it again: {}",
                        candidate.name(),
                        e.getMessage());
            }
            return false;
        }
    }

    /** Deletes companions that a crash or a failure has left, and those of partitions that were deleted. */
    private void removeOrphans() throws InterruptedException {
        List<Companion> all = companions.all();
        if (all.isEmpty()) {
            return;
        }
        Set<Long> wanted = all.stream().map(Companion::partitionId).collect(Collectors.toSet());
        Map<Long, Placement> placements = new HashMap<>();
        for (Topic topic : catalogue.all()) {
            topic.partitions().stream()
                    .filter(placement -> wanted.contains(placement.partitionId()))
                    .forEach(placement -> placements.put(placement.partitionId(), placement));
        }
        for (Companion companion : all) {
            Placement placement = placements.get(companion.partitionId());
            PartitionLog partition = placement == null ? null : partitions.find(placement);
            try {
                if (placement == null || partition != null && !has(partition, companion)) {
                    new LoopSteps(companion.container(), PATIENCE).durable(done -> delete(companion, done));
                    log.info("Deleted what a compaction of partition {} had left", companion.partitionId());
                }
            } catch (CompactionException e) {
                log.debug("A companion segment is left to the next round: {}", e.getMessage());
            }
        }
    }

    private static boolean has(PartitionLog partition, Companion companion)
            throws CompactionException, InterruptedException {
        return new LoopSteps(partition.container(), PATIENCE)
                .await(step -> step.complete(partition.compaction().has(companion.segment())));
    }

    private static void delete(Companion companion, Durable done) {
        if (companion.container().info(companion.segment()) == null) {
            companion.container().barrier(done);
        } else {
            companion.container().delete(companion.segment(), done);
        }
    }
}
