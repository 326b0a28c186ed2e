package io.sluice.store.container;

import io.sluice.store.segment.LoopTask;
import io.sluice.store.segment.SegmentContainer;
import io.sluice.store.segment.StoreFailure;
import java.util.function.Consumer;
import org.jctools.queues.MpscUnboundedArrayQueue;
import org.jspecify.annotations.Nullable;

/**
 * Work queued for one container's loop, and the loop's thread and time of its current turn.
 *
 * <p>Three ways in: tasks, which are answered whatever happens; posts, by which the container's own helpers come back; and
 * timers, which the loop sets for itself.
 */
final class LoopWork {
    private final LoopInbox requests;
    private final MpscUnboundedArrayQueue<Runnable> posts = new MpscUnboundedArrayQueue<>(64);
    private final Timers timers = new Timers();
    private final TermLife life;
    private volatile Runnable wake = () -> {};
    private volatile @Nullable Thread owner;
    private long nowMicros;
    private long nowMillis;

    LoopWork(AppendQueue appends, TermLife life) {
        this.requests = new LoopInbox(appends, life::notOwner);
        this.life = life;
    }

    void onWake(Runnable newWake) {
        wake = newWake;
    }

    /** Any thread. */
    void wakeUp() {
        wake.run();
    }

    // ---- the loop's thread and time ----

    /** The calling thread is the loop from now on: the recovery's first, then the one that turns the container. */
    void ownedHere() {
        owner = Thread.currentThread();
    }

    /** Any thread. */
    boolean onLoop() {
        return Thread.currentThread() == owner;
    }

    void turnsAt(long micros) {
        nowMicros = micros;
        nowMillis = micros / 1000;
    }

    long micros() {
        return nowMicros;
    }

    long millis() {
        return nowMillis;
    }

    // ---- ways in ----

    /** Any thread. */
    void execute(LoopTask task) {
        requests.offer(task);
        wakeUp();
    }

    /** Any thread. */
    void executeAppend(LoopTask task) {
        requests.offerAppend(task);
        wakeUp();
    }

    /** Runs {@code onLoop} soon; dropped if the container has stopped. Any thread. */
    void post(Runnable onLoop) {
        if (!requests.closed()) {
            posts.offer(onLoop);
            wakeUp();
        }
    }

    SegmentContainer.Scheduled schedule(long delayMillis, LoopTask task) {
        if (requests.closed()) {
            task.abandoned(life.notOwner());
            return () -> {};
        }
        return timers.set(nowMicros + delayMillis * 1000, task);
    }

    /** Any thread. */
    boolean hasRequests() {
        return !requests.isEmpty();
    }

    /** Any thread. */
    boolean hasPosts() {
        return !posts.isEmpty();
    }

    // ---- the loop takes ----

    /** Runs the posts there are now; says how many. */
    int drainPosts() {
        int queued = posts.size();
        int done = 0;
        for (Runnable post = posts.poll(); post != null; post = done < queued ? posts.poll() : null) {
            post.run();
            done++;
        }
        return done;
    }

    /** Hands out the timers that are due and the tasks there are now; says how many. Appends wait their turn elsewhere. */
    int drainTasks(Consumer<LoopTask> run) {
        return timers.fire(nowMicros, run) + requests.drain(run);
    }

    /** Tasks set for later. */
    int timers() {
        return timers.size();
    }

    long nextTimerAt() {
        return timers.nextAt();
    }

    /** The term is over: tells all that wait, and all that come later. */
    void close(StoreFailure why) {
        TermEnd.step("abandon timers", () -> timers.abandon(why));
        requests.close();
    }

    /** Drops the remaining posts, once no more can come. */
    void clear() {
        posts.clear();
    }
}
