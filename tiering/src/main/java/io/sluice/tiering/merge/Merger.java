package io.sluice.tiering.merge;

import io.netty.buffer.ByteBuf;
import io.sluice.store.segment.Durable;
import io.sluice.store.tier.TierHost;
import io.sluice.store.tier.TierRange;
import io.sluice.tiering.flush.Upload;
import io.sluice.tiering.flush.Uploader;
import io.sluice.tiering.format.ObjectNames;
import io.sluice.tiering.format.Span.DamagedBlockException;
import io.sluice.tiering.merge.MergePlan.Run;
import io.sluice.tiering.merge.SourceRead.Source;
import io.sluice.tiering.objectstore.ObjectStoreException;
import io.sluice.tiering.task.Backoff;
import io.sluice.tiering.task.Completions.Completion;
import io.sluice.tiering.task.Surroundings;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Semaphore;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Merges small ranges, round by round over a container's segments, a bounded number of them per turn.
 *
 * <pre>
 *   segments ─► runs worth a merge ─► an object's worth ─► read ─► intent ─► put ─► sequence the merge ─► durable
 * </pre>
 *
 * Safe to cut off anywhere: until the merge is sequenced the old ranges stand, and its object is garbage in the next
 * term. Old objects become garbage by the merge, once that is durable. A merge that cannot read is given up and
 * chosen again later; one that has read everything is stored, however long that takes. Loop only.
 */
public final class Merger {
    private static final Logger log = LoggerFactory.getLogger(Merger.class);

    /** Looked at per turn of the loop: with a few dozen ranges each this takes well under a millisecond. */
    private static final int SEGMENTS_PER_TURN = 64;

    private final Surroundings around;
    private final TierHost host;
    private final MergePolicy policy;
    private final Backoff backoff;
    private final Semaphore slots;
    private final Uploader uploader;
    private final MergePace pace;
    private final MergeDebt debt;
    private final SegmentRound round;
    private final List<Merge> jobs = new ArrayList<>();
    /** Segments with a run in a job or waiting for one. */
    private final Set<Long> busy = new HashSet<>();
    /** Segments with damaged bytes: a merge would only fail again, and the bytes are best left where they are. */
    private final Set<Long> damaged = new HashSet<>();
    /** Runs that wait until there is an object's worth of them, by how often they were rewritten. */
    private final List<Batch> batches = new ArrayList<>();

    private long pausedUntil;
    private int failures;
    private long now;

    private static final class Batch {
        List<Run> runs = new ArrayList<>();
        long bytes;
        /** When the first run came, milliseconds since the epoch. */
        long since;
    }

    /** @param slots a permit is held for every merge under way */
    public Merger(Surroundings around, MergePolicy policy, Backoff backoff, Semaphore slots) {
        this.around = around;
        this.host = around.host();
        this.policy = policy;
        this.backoff = backoff;
        this.slots = slots;
        this.pace = new MergePace(policy.leastBytesPerSecond(), policy.debtMillis());
        this.debt = new MergeDebt(host, policy);
        this.round = new SegmentRound(host, policy.intervalMillis());
        this.uploader = new Uploader(around, backoff);
        for (int i = 0; i < policy.rewrites(); i++) {
            batches.add(new Batch());
        }
    }

    /**
     * As {@link io.sluice.store.tier.Tier#doWork}.
     *
     * @param yield others need the store now: begin nothing
     */
    public int doWork(long time, boolean yield) {
        now = time;
        List<Upload> uploads = uploads();
        int work = uploader.retry(uploads, time) + commitStored();
        if (yield || time < pausedUntil || host.flushPressure() >= policy.mostPressure()) {
            return work;
        }
        debt.count(time, SEGMENTS_PER_TURN);
        return work + beginOld() + look();
    }

    private List<Upload> uploads() {
        return jobs.isEmpty()
                ? List.of()
                : jobs.stream().map(job -> job.upload).filter(Objects::nonNull).toList();
    }

    /** Returns how many merges were begun. */
    private int look() {
        int begun = 0;
        for (int looked = 0; looked < SEGMENTS_PER_TURN && round.hasSegment(now); looked++) {
            @Nullable Run run = choose(round.segment());
            if (run != null && overfills(run)) {
                if (!begin(batches.get(run.generation()))) {
                    return begun;
                }
                begun++;
            }
            if (run != null) {
                add(run);
            }
            round.advance();
        }
        return begun;
    }

    private @Nullable Run choose(long segment) {
        return busy.contains(segment) || damaged.contains(segment)
                ? null
                : MergePlan.choose(policy, host.manifest(segment), host::generation);
    }

    private boolean overfills(Run run) {
        return batches.get(run.generation()).bytes + run.bytes() > policy.objectBytes();
    }

    private void add(Run run) {
        Batch batch = batches.get(run.generation());
        batch.since = batch.runs.isEmpty() ? now : batch.since;
        batch.runs.add(run);
        batch.bytes += run.bytes();
        busy.add(run.segment());
    }

    /** Begins batches that do not fill an object but have waited long enough. */
    private int beginOld() {
        int begun = 0;
        for (Batch batch : batches) {
            boolean old = !batch.runs.isEmpty() && now - batch.since >= policy.waitMillis();
            begun += old && begin(batch) ? 1 : 0;
        }
        return begun;
    }

    /** False if it is not its time, or there is no slot for it. */
    private boolean begin(Batch batch) {
        if (!pace.mayBegin(now)) {
            return false;
        }
        dropGone(batch);
        if (batch.runs.isEmpty()) {
            return true;
        }
        if (!slots.tryAcquire()) {
            return false;
        }
        pace.begun(now, batch.bytes, debt.bytes());
        Merge job = new Merge(batch.runs, policy.readBytes());
        batch.runs = new ArrayList<>();
        batch.bytes = 0;
        jobs.add(job);
        advance(job);
        return true;
    }

    /** Drops ranges that were truncated or deleted while they waited. */
    private void dropGone(Batch batch) {
        batch.runs.removeIf(run -> {
            boolean gone = !stillThere(run);
            if (gone) {
                batch.bytes -= run.bytes();
                busy.remove(run.segment());
            }
            return gone;
        });
    }

    private boolean stillThere(Run run) {
        TierRange first = run.sources().getFirst();
        return first.equals(host.tiered(run.segment(), first.position()));
    }

    private void advance(Merge job) {
        while (!job.left.isEmpty() && job.running < policy.reads()) {
            job.running++;
            start(job, job.left.remove());
        }
        if (job.allRead()) {
            job.upload = new Upload(host.nextObject(), job.parts(around.allocator()));
            uploader.begin(job.upload);
        }
    }

    private void start(Merge job, SourceRead read) {
        String name = ObjectNames.of(host.container(), read.object());
        around.tasks().start("merge " + name, () -> around.completions().add(get(job, read, name)));
    }

    /** On a virtual thread. */
    private Completion get(Merge job, SourceRead read, String name) {
        if (around.completions().closed()) {
            return onLoop(() -> {});
        }
        try {
            return new Got(job, bytes(read, name));
        } catch (DamagedBlockException e) {
            return onLoop(() -> {
                damaged.add(e.segment());
                failedToRead(job, read, e.getMessage());
            });
        } catch (ObjectStoreException e) {
            return onLoop(() -> failedToRead(job, read, e.getMessage()));
        } catch (RuntimeException | Error e) {
            return onLoop(() -> failedToRead(job, read, e.toString()));
        }
    }

    private List<Source> bytes(SourceRead read, String name) throws ObjectStoreException, DamagedBlockException {
        ByteBuf stored = around.store().read(name, read.offset(), read.length(), around.allocator());
        try {
            return read.open(stored, around.allocator());
        } finally {
            stored.release();
        }
    }

    /** Bytes read, owned until retired or abandoned. */
    private final class Got implements Completion {
        private final Merge job;
        private final List<Source> sources;

        Got(Merge job, List<Source> sources) {
            this.job = job;
            this.sources = sources;
        }

        @Override
        public void retire() {
            if (!jobs.contains(job)) {
                abandon();
                return;
            }
            job.running--;
            job.read(sources);
            advance(job);
        }

        @Override
        public void abandon() {
            sources.forEach(source -> source.bytes().release());
        }
    }

    private void failedToRead(Merge job, SourceRead read, String why) {
        if (!jobs.contains(job)) {
            return;
        }
        end(job);
        // An object may be gone because what it held is: then the manifests say so, and nothing is wrong.
        boolean used =
                read.ranges().stream().anyMatch(range -> range.equals(host.tiered(range.segment(), range.position())));
        if (!used) {
            return;
        }
        failures++;
        pausedUntil = now + backoff.pauseMillis(failures, around.random());
        if (failures == 1) {
            log.warn("Could not read ranges to merge them, leaving them as they are for now: {}", why);
        }
    }

    private int commitStored() {
        int committed = 0;
        for (Merge job : List.copyOf(jobs)) {
            Upload upload = job.upload;
            if (upload != null && upload.stored() && !job.committed) {
                job.committed = true;
                host.sequenceMerge(upload.object(), upload.ranges(), whenDurable(job));
                committed++;
            }
        }
        return committed;
    }

    /** If the term ends first, the next one finds the old ranges or the new ones. */
    private Durable whenDurable(Merge job) {
        return Durable.of(() -> {
            failures = 0;
            end(job);
        });
    }

    private void end(Merge job) {
        if (jobs.remove(job)) {
            job.release();
            job.runs.forEach(run -> busy.remove(run.segment()));
            slots.release();
        }
    }

    private static Completion onLoop(Runnable retire) {
        return new Completion() {
            @Override
            public void retire() {
                retire.run();
            }

            @Override
            public void abandon() {}
        };
    }

    /** Uploads that are running end by themselves; nothing more is begun. */
    public void close() {
        List.copyOf(jobs).forEach(this::end);
    }
}
