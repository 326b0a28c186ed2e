package io.sluice.broker.coordination;

import io.sluice.broker.log.PartitionLog;
import io.sluice.broker.topic.Partitions;
import io.sluice.broker.topic.Topic;
import io.sluice.store.segment.Answer;
import io.sluice.store.segment.StoreFailure;
import java.nio.ByteBuffer;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The log of one state machine: an internal partition to which it alone appends records with keys, and from which it is loaded.
 * It is compacted as any topic is, see {@link io.sluice.broker.compaction.CompactionPolicy#INTERNAL}: only the last record of a
 * key may be found.
 *
 * <p><b>Threads.</b> Any. Each append is one task on the container's loop; no lock is held while one is under way. Appends of one
 * state machine come one after the other.
 *
 * <p><b>Loading.</b> A state machine may append only in the term in which it was loaded. A tombstone stays for a day after it was
 * compacted for the first time, so that a load that has read what it deletes reads it too. See docs/adr/0038 and 0056.
 */
public final class CoordinatorLog {
    private static final int NOT_LOADED = -1;

    private final String name;
    private volatile Topic.Placement placement;
    private final Partitions partitions;
    private final byte format;

    /** Leader epoch of the term in which the state machine was loaded. Written by the loop. */
    private volatile int loadedIn = NOT_LOADED;

    /** See {@link #submit}; one of the three is called, once. */
    public interface Submitted extends AppendCompletion {
        /** It is not in the log and will not be. Called on the container's loop, or before {@link #submit} returns. */
        void refused(CoordinatorLogException why);
    }

    /** @param format of its entries, see {@link io.sluice.broker.entry.EntryFormat} */
    public CoordinatorLog(String name, Topic.Placement placement, Partitions partitions, byte format) {
        this.name = name;
        this.placement = placement;
        this.partitions = partitions;
        this.format = format;
    }

    public String name() {
        return name;
    }

    public int container() {
        return placement.container();
    }

    /** Sets the partition's placement; true if it changed: the state machine has to be loaded again from there. */
    public boolean relocate(Topic.Placement now) {
        boolean moved = !now.equals(placement);
        placement = now;
        return moved;
    }

    public boolean isServed() {
        return partitions.find(placement) != null;
    }

    /** @throws CoordinatorLogException.Store if this process does not serve the partition now */
    public PartitionLog partition() {
        Topic.Placement now = placement;
        @Nullable PartitionLog log = partitions.find(now);
        if (log == null) {
            throw new CoordinatorLogException.Store(
                    new StoreFailure.NotOwner(now.container(), name + " is not served here"));
        }
        return log;
    }

    /**
     * Appends one entry and waits until it is sequenced. When this throws, it was not and will not be appended.
     *
     * @param records how many offsets it takes
     * @return the offset after its last record
     * @throws CoordinatorLogException also if the state machine was not loaded in the partition's present term
     */
    public long append(ByteBuffer entry, int records, Duration atMost, AppendCompletion completion) {
        PartitionLog log = partition();
        Answer<Long> end = SequencedAppend.start(log, this::checkLoaded, entry, records, completion);
        try {
            return LoopAnswers.await(end, atMost);
        } catch (CoordinatorLogException.TimedOut | CoordinatorLogException.Interrupted e) {
            if (end.cancel(false)) {
                throw e;
            }
            return LoopAnswers.await(end, atMost); // its turn has come
        }
    }

    /** As {@link #append}, for who does not need the offset: does not wait. */
    public void submit(ByteBuffer entry, int records, Submitted completion) {
        try {
            SequencedAppend.start(partition(), this::checkLoaded, entry, records, completion)
                    .whenComplete((end, why) -> {
                        if (why != null) {
                            completion.refused(CoordinatorLogException.of(why));
                        }
                    });
        } catch (CoordinatorLogException e) {
            completion.refused(e);
        }
    }

    /** Begins to read everything that the log holds; one load at a time. */
    public LogLoad load() {
        return load(LogRead.MAX_BYTES);
    }

    LogLoad load(int chunkBytes) {
        PartitionLog log = partition();
        return new LogLoad(log, chunkBytes, format, () -> loaded(log));
    }

    /** Loop: at this moment {@code log} holds nothing that the load has not read. */
    private void loaded(PartitionLog log) {
        loadedIn = log.leaderEpoch();
    }

    /** Loop. @throws CoordinatorLogException.Store if the state machine was not loaded in the present term */
    private void checkLoaded(PartitionLog log) {
        if (log.leaderEpoch() != loadedIn) {
            throw new CoordinatorLogException.Store(
                    new StoreFailure.NotOwner(log.container().id(), "the state machine was not loaded in this term"));
        }
    }
}
