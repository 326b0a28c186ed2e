package io.sluice.store.container;

import io.sluice.store.segment.Durable;
import io.sluice.store.segment.StoreFailure;
import io.sluice.store.wal.LedgerWriter;
import io.sluice.store.wal.WalException;
import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * Forces a log that defers the disk's sync soon after it has acknowledged something, one force at a time, and tells who must not
 * go by less. Of a log that waits everything acknowledged is synced, and this does nothing. Loop only.
 *
 * <pre>
 *   acknowledged ─► seen by readers, appends answered
 *        └─ after 10 ms, or as set, or 2 MiB ─► force ─► synced ─► the tier may have it; structure and the tier's commits are answered
 * </pre>
 *
 * <p>So a crash takes from the log what nothing outside of it builds on, but for clients.
 */
final class LogSyncs {
    /** By default, in microseconds: a hundred forces a second at most, for each costs a disk some milliseconds at worst. */
    static final long MOST_DELAY = 10_000;

    /** As much as the embedded journal leaves unsynced in any case. */
    static final long MOST_BYTES = 2 << 20;

    /** The log answers within its own deadline, of seconds. */
    private static final long LOST_AFTER_MICROS = 120_000_000;

    private static final long NONE = Long.MAX_VALUE;

    private final boolean deferred;
    private final long delay;
    private final Host host;
    private ArrayDeque<Durable> waiters = new ArrayDeque<>();
    private ArrayDeque<Durable> forcing = new ArrayDeque<>();
    private @Nullable LedgerWriter writer;
    private long now;
    private long oldestAt = NONE;
    private long bytes;
    private long forcedSince = NONE;
    private boolean rollWaits;

    /** The container, as this needs it. */
    interface Host {
        /** A force of all that was acknowledged begins; what is acknowledged from now on is not in it. */
        void forcing();

        /** Everything acknowledged when the force began is on the disks. */
        void forced();

        /** Any thread. */
        void post(Runnable onLoop);

        void lost(WalException why);
    }

    LogSyncs(boolean deferred, Host host) {
        this(deferred, MOST_DELAY, host);
    }

    /** @param delay microseconds from an acknowledgement to the force, at most */
    LogSyncs(boolean deferred, long delay, Host host) {
        this.deferred = deferred;
        this.delay = delay;
        this.host = host;
    }

    boolean deferred() {
        return deferred;
    }

    /** Told when the operation is not only acknowledged but synced. */
    Durable whenSynced(Durable done) {
        return deferred ? new Waiter(done) : done;
    }

    private final class Waiter implements Durable {
        private final Durable done;

        Waiter(Durable done) {
            this.done = done;
        }

        @Override
        public void durable() {
            if (idle()) {
                done.durable();
            } else {
                waiters.add(done);
            }
        }

        @Override
        public void failed(StoreFailure why) {
            done.failed(why);
        }
    }

    /** The log has acknowledged a frame. */
    void acknowledged(LedgerWriter by, int frameBytes, long timeNow) {
        if (deferred) {
            writer = by;
            bytes += frameBytes;
            oldestAt = Math.min(oldestAt, timeNow);
        }
    }

    /**
     * Whether the first frame of another ledger may leave: only once the one before is on the disks. Otherwise a crash could take the
     * end of that one and leave what follows it.
     */
    boolean mayRoll() {
        rollWaits = !idle();
        return !rollWaits;
    }

    /** Nothing is unsynced. */
    boolean idle() {
        return oldestAt == NONE && forcedSince == NONE;
    }

    /**
     * Forces what is due; says whether it did.
     *
     * @param soon the container closes
     */
    int turn(long timeNow, boolean soon) {
        now = timeNow;
        if (forcedSince != NONE && now - forcedSince > LOST_AFTER_MICROS) {
            host.lost(new WalException.Unavailable("the log does not answer a force", null));
            return 0;
        }
        LedgerWriter by = writer;
        if (by == null || forcedSince != NONE || now < dueAt(soon)) {
            return 0;
        }
        forcedSince = now;
        oldestAt = NONE;
        bytes = 0;
        ArrayDeque<Durable> empty = forcing;
        forcing = waiters;
        waiters = empty;
        host.forcing();
        by.force(new LedgerWriter.Callback() {
            @Override
            public void durable() {
                host.post(LogSyncs.this::forced);
            }

            @Override
            public void failed(WalException why) {
                host.post(() -> host.lost(why));
            }
        });
        return 1;
    }

    private long dueAt(boolean soon) {
        if (oldestAt == NONE) {
            return NONE;
        }
        boolean atOnce = soon || rollWaits || bytes >= MOST_BYTES || !waiters.isEmpty();
        return atOnce ? now : oldestAt + delay;
    }

    /** When {@link #turn} has something to do, microseconds; far away if it has not. */
    long dueAt() {
        return forcedSince == NONE ? dueAt(false) : NONE;
    }

    private void forced() {
        forcedSince = NONE;
        rollWaits = false;
        host.forced();
        tell(forcing);
        if (idle()) {
            // nothing was acknowledged since that force began, so it was for these as well
            tell(waiters);
        }
    }

    private static void tell(ArrayDeque<Durable> those) {
        for (Durable done = those.poll(); done != null; done = those.poll()) {
            done.durable();
        }
    }

    /** The term is over: whether the next one has these is unknown. */
    void fail(StoreFailure why) {
        ArrayDeque<Durable> pending = new ArrayDeque<>(forcing);
        pending.addAll(waiters);
        forcing.clear();
        waiters.clear();
        pending.forEach(done -> TermEnd.step("tell who waits for the disks", () -> done.failed(why)));
    }
}
