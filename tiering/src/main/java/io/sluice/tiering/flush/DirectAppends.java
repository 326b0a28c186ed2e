package io.sluice.tiering.flush;

import io.netty.buffer.ByteBuf;
import io.sluice.store.segment.Durable;
import io.sluice.store.segment.StoreFailure;
import io.sluice.store.tier.TierHost;
import io.sluice.tiering.format.ObjectImage.Part;
import io.sluice.tiering.task.Backoff;
import io.sluice.tiering.task.Surroundings;
import java.util.ArrayList;
import java.util.List;

/** Stores bytes that the log never had, an object each. As few at a time as its callers have, who each wait for theirs. Loop only. */
public final class DirectAppends {
    private final TierHost host;
    private final Uploader uploader;
    private final List<Job> jobs = new ArrayList<>();

    private static final class Job extends Upload {
        final Durable done;
        boolean sequenced;

        Job(long object, Part part, Durable done) {
            super(object, List.of(part));
            this.done = done;
        }
    }

    public DirectAppends(Surroundings around, Backoff backoff) {
        this.host = around.host();
        this.uploader = new Uploader(around, backoff);
    }

    /** As {@link io.sluice.store.tier.Tier#append}. */
    public void append(long segment, long position, ByteBuf bytes, Durable done) {
        Job job = new Job(host.nextObject(), new Part(segment, position, bytes), done);
        jobs.add(job);
        uploader.begin(job);
    }

    /** As {@link io.sluice.store.tier.Tier#doWork}. */
    public int doWork(long now) {
        if (jobs.isEmpty()) {
            return 0;
        }
        int work = uploader.retry(jobs, now);
        for (Job job : List.copyOf(jobs)) {
            if (job.stored() && !job.sequenced) {
                job.sequenced = true;
                host.sequenceAppend(job.object(), job.ranges().getFirst(), whenDurable(job));
                work++;
            }
        }
        return work;
    }

    private Durable whenDurable(Job job) {
        return Durable.of(
                () -> {
                    jobs.remove(job);
                    job.done.durable();
                },
                why -> {
                    jobs.remove(job);
                    job.done.failed(why);
                });
    }

    /** Uploads that are running end by themselves; who waits is told. */
    public void close() {
        StoreFailure why = new StoreFailure.NotOwner(host.container(), "the container's term is over");
        for (Job job : List.copyOf(jobs)) {
            jobs.remove(job);
            job.unpin();
            job.done.failed(why);
        }
    }
}
