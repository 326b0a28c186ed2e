package io.sluice.broker.compaction;

import static io.sluice.broker.compaction.CompactionAnswers.await;

import io.sluice.broker.compaction.CompactionPolicy.Dirt;
import io.sluice.broker.compaction.LogCompactionJob.Outcome;
import io.sluice.broker.log.CompactionTarget;
import io.sluice.broker.log.PartitionAttributes;
import io.sluice.broker.log.PartitionLog;
import io.sluice.broker.log.open.Companions.Companion;
import io.sluice.broker.topic.Topic;
import io.sluice.broker.topic.Topic.Placement;
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
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Goes round all partitions served here and compacts those of which it is time, the dirtiest first, one at a time. Blocking; one thread.
 * Whatever fails is tried again in the next round.
 */
public final class CompactionScheduler {
    private static final Logger log = LoggerFactory.getLogger(CompactionScheduler.class);
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final int MOST_FAILED = 1_000;

    private final CompactionResources with;
    private final KeyedFormats formats;
    private final CompactionPolicy internal;
    /** Partitions whose last compaction failed: said once. */
    private final Set<String> failed = new HashSet<>();

    /**
     * @param formats what can be compacted
     * @param internal of internal topics, the logs of coordinators
     */
    public CompactionScheduler(CompactionResources with, List<KeyedEntries> formats, CompactionPolicy internal) {
        this.with = with;
        this.formats = new KeyedFormats(formats);
        this.internal = internal;
    }

    private record Candidate(Topic topic, int partition, PartitionLog log, CompactionPolicy policy, Dirt dirt) {
        String name() {
            return topic.name() + "-" + partition;
        }
    }

    /** One round. Returns how many partitions were compacted. */
    public int round() throws InterruptedException {
        with.turn().lockInterruptibly();
        try {
            removeOrphans();
        } finally {
            with.turn().unlock();
        }
        List<Candidate> due = new ArrayList<>();
        for (Topic topic : with.catalogue().all()) {
            CompactionPolicy policy = CompactionPolicy.of(topic, internal);
            if (policy != null) {
                for (int p = 0; p < topic.partitions().size(); p++) {
                    Candidate candidate = look(topic, p, policy);
                    if (candidate != null
                            && policy.isDue(candidate.dirt, with.clock().getAsLong())) {
                        due.add(candidate);
                    }
                }
            }
        }
        due.sort(Comparator.comparingDouble((Candidate candidate) -> candidate.dirt.ratio())
                .reversed());
        int done = 0;
        for (Candidate candidate : due) {
            with.turn().lockInterruptibly();
            try {
                done += compact(candidate) ? 1 : 0;
            } finally {
                with.turn().unlock();
            }
        }
        return done;
    }

    private @Nullable Candidate look(Topic topic, int partition, CompactionPolicy policy) throws InterruptedException {
        PartitionLog found = with.partitions().find(topic.partitions().get(partition));
        if (found == null) {
            return null;
        }
        long olderThan = policy.olderThan(with.clock().getAsLong());
        try {
            Dirt dirt = await(found.container().ask(() -> dirt(found, olderThan)), PATIENCE);
            return new Candidate(topic, partition, found, policy, dirt);
        } catch (CompactionException e) {
            return null; // not served any more, or busy: the next round looks again
        }
    }

    private static Dirt dirt(PartitionLog of, long olderThan) {
        CompactionTarget compaction = of.compaction();
        long start = of.startOffset();
        long dirtyFrom = Math.max(start, compaction.compactedTo());
        long end = compaction.cleanableTo(olderThan).offset();
        return new Dirt(
                compaction.bytesBetween(start, dirtyFrom),
                compaction.bytesBetween(dirtyFrom, end),
                compaction.timeOf(dirtyFrom));
    }

    private boolean compact(Candidate candidate) throws InterruptedException {
        long began = with.clock().getAsLong();
        try {
            PartitionAttributes attributes = new PartitionAttributes(
                    candidate.topic.name().toString(),
                    candidate.topic.id(),
                    candidate.partition,
                    candidate.log.partitionId());
            LogCompactionJob compaction =
                    new LogCompactionJob(candidate.log, attributes, candidate.policy, formats, with);
            Outcome outcome = compaction.run(with.ids().reserve(1), began);
            if (outcome == null) {
                return false;
            }
            with.counters().compacted(outcome.bytesBefore(), outcome.bytesAfter());
            failed.remove(candidate.name());
            log.info(
                    "Compacted {} up to offset {}: {} bytes are left of {}, by {} keys, in {} ms",
                    candidate.name(),
                    outcome.to(),
                    outcome.bytesAfter(),
                    outcome.bytesBefore(),
                    outcome.keys(),
                    with.clock().getAsLong() - began);
            return true;
        } catch (CompactionException | IOException | RuntimeException e) { // others come behind it
            with.counters().failed();
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
        List<Companion> all = with.companions().all();
        if (all.isEmpty()) {
            return;
        }
        Set<Long> wanted = all.stream().map(Companion::partitionId).collect(Collectors.toSet());
        Map<Long, Placement> placements = new HashMap<>();
        for (Topic topic : with.catalogue().all()) {
            topic.partitions().stream()
                    .filter(placement -> wanted.contains(placement.partitionId()))
                    .forEach(placement -> placements.put(placement.partitionId(), placement));
        }
        for (Companion companion : all) {
            Placement placement = placements.get(companion.partitionId());
            PartitionLog partition =
                    placement == null ? null : with.partitions().find(placement);
            try {
                if (placement == null || partition != null && !has(partition, companion)) {
                    await(
                            companion.container().<Boolean>ask(answer -> delete(companion, answer.onceDurable(true))),
                            PATIENCE);
                    log.info("Deleted what a compaction of partition {} had left", companion.partitionId());
                }
            } catch (CompactionException e) {
                log.debug("A companion segment is left to the next round: {}", e.getMessage());
            }
        }
    }

    private static boolean has(PartitionLog partition, Companion companion)
            throws CompactionException, InterruptedException {
        return await(partition.container().ask(() -> partition.compaction().has(companion.segment())), PATIENCE);
    }

    private static void delete(Companion companion, Durable done) {
        if (companion.container().info(companion.segment()) == null) {
            companion.container().barrier(done);
        } else {
            companion.container().delete(companion.segment(), done);
        }
    }
}
