package io.sluice.pulsar.dispatch;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.sluice.broker.entry.DelayRun;
import io.sluice.broker.log.AppendRejection;
import io.sluice.broker.log.AppendReply;
import io.sluice.broker.log.DelayedRuns;
import io.sluice.broker.log.DelayedRuns.Run;
import io.sluice.broker.log.PartitionLog;
import io.sluice.pulsar.dispatch.DelayHeap.Key;
import io.sluice.store.segment.LoopTask;
import io.sluice.store.segment.SegmentContainer;
import io.sluice.store.segment.StoreFailure;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The index of the entries of a partition that are to be delivered later: tells its subscriptions which offsets they pass over for now, and
 * when the time of one has come.
 *
 * <pre>
 *   log ──► {@link DelayFollower} ──► near: the earliest, up to a horizon ──► time has come
 *                        └─► young ──► run, an entry of the log ──┘ read again when near is almost empty, and at the start
 * </pre>
 *
 * Every entry whose time has not come is in near or behind its horizon, and either in young or in a run. One job at a time reads or writes
 * runs. It lives as long as the partition's hub. Loop only; times are in milliseconds since the epoch.
 */
final class DelayIndex {
    private static final long RETRY_MILLIS = 1_000;

    /** Entries whose time has come that are told of in one turn of the loop. */
    private static final int TURN = 5_000;

    private final PartitionLog log;
    private final ByteBufAllocator allocator;
    private final DelayLimits limits;
    private final Listener listener;
    private final DelayFollower follower;
    private final PendingOffsets pending;
    private final NearDelays near;

    /** Entries that stand in no run. */
    private final DelayHeap young;

    /** Runs whose entries are in {@link #young} again, or are lost: the next run that is written takes their place. */
    private final List<Long> replaced = new ArrayList<>();

    private @Nullable Job job;
    private boolean started;
    private boolean loaded;
    private boolean closed;

    /** An entry has found no room in {@link #young}. */
    private boolean stalled;

    /** Behind it entries are read from runs at this moment, so that what is new there is added when this is over. */
    private Key reading = Key.END;

    /** Entries below it that nobody else has added are added by who meets them. */
    private long metBelow;

    private SegmentContainer.@Nullable Scheduled timer;
    private long timerAt = Long.MAX_VALUE;

    private enum Job {
        READ,
        WRITE,
        MERGE
    }

    /** Told by the index; all subscriptions of the partition. */
    interface Listener {
        /** The time of an entry has come, of which it may have been told before. */
        void due(long base, int offsets);

        /** All are told for now: read on. */
        void readOn();

        /** The index begins anew: whatever was passed over is to be met again. */
        void readAgain();
    }

    DelayIndex(
            PartitionLog log, ByteBufAllocator allocator, DelayMemory memory, DelayLimits limits, Listener listener) {
        this.log = log;
        this.allocator = allocator;
        this.limits = limits;
        this.listener = listener;
        this.follower = new DelayFollower(log, this);
        this.pending = new PendingOffsets(memory);
        this.near = new NearDelays(memory);
        this.young = new DelayHeap(memory);
    }

    /** Whether entries can be read: else its listener is told when. */
    boolean isReady() {
        if (!started) {
            start();
        }
        return loaded;
    }

    /** Entries may have become readable. */
    void follow() {
        if (log.delays().delayedEnd() > 0 && isReady()) {
            follower.follow();
        }
    }

    boolean isEmpty() {
        return pending.isEmpty();
    }

    /** Whether the entry's time has not come, as far as there is room to know it. */
    boolean isPending(long offset) {
        return pending.contains(offset);
    }

    /** {@code offset}, or the next one whose time has come. */
    long after(long offset) {
        return pending.after(offset);
    }

    /** Messages in {@code [from, to)} whose time has not come. */
    long count(long from, long to) {
        return pending.count(from, to);
    }

    /** A subscription passes over an entry whose time has not come, of which it is told then. False if it has to wait until it is told. */
    boolean met(long time, long base, int offsets) {
        if (base < metBelow) {
            return pending.contains(base) || add(time, base, offsets);
        }
        follow();
        return true;
    }

    void close() {
        closed = true;
        follower.close();
        cancelTimer();
        pending.clear();
        near.clear();
        young.clear();
    }

    boolean isClosed() {
        return closed;
    }

    long now() {
        return log.container().now();
    }

    // ---- start

    private void start() {
        started = true;
        metBelow = Math.max(metBelow, log.delays().since());
        readRuns(new Key(Long.MIN_VALUE, 0), true);
    }

    /** A run cannot be read: which entries stood in it, who meets them finds out. */
    private void startAgain(Run lost) {
        replaced.add(lost.base());
        metBelow = Math.max(metBelow, log.delays().indexedTo());
        pending.clear();
        near.clear();
        loaded = false;
        job = null;
        start();
        listener.readAgain();
    }

    /** Nothing can be read where the follower is: who meets entries from here on adds them. */
    void giveUpFollowing() {
        metBelow = Long.MAX_VALUE;
        listener.readAgain();
    }

    // ---- coming

    /** Adds an entry whose time has not come; false if there is no room for now, which it is told of. */
    boolean add(long time, long base, int offsets) {
        boolean added = young.size() < 2 * limits.runEntries() && young.add(time, base, offsets);
        stalled |= !added;
        if (added) {
            pending.add(base, offsets);
            if (!reading.isAfter(time, base) && reading != Key.END) {
                return true; // it is behind the horizon for now
            }
            near.add(time, base, offsets);
            setTimer();
        }
        if (!added || young.size() >= limits.runEntries()) {
            write();
        }
        return added;
    }

    /** The follower has looked at all up to here. */
    void followed(long offset) {
        DelayedRuns known = log.delays();
        long from = known.unindexedFrom();
        if (from >= 0
                && offset > from
                && log.bytesAfter(from) - log.bytesAfter(known.delayedEnd()) > limits.unindexedBytes()) {
            write();
        }
    }

    // ---- time

    /** The time of an entry has come, which may be told again. */
    void due(long base, int offsets) {
        pending.remove(base, offsets);
        listener.due(base, offsets);
    }

    private void setTimer() {
        long at = near.heap().time();
        if (at >= timerAt || closed) {
            return;
        }
        cancelTimer();
        timerAt = at;
        timer = log.container().schedule(Math.max(1, at - now()), LoopTask.of(this::tick));
    }

    private void cancelTimer() {
        if (timer != null) {
            timer.cancel();
            timer = null;
        }
        timerAt = Long.MAX_VALUE;
    }

    private void tick() {
        timer = null;
        timerAt = Long.MAX_VALUE;
        DelayHeap heap = near.heap();
        long now = now();
        for (int i = 0; i < TURN && heap.time() <= now; i++) {
            long base = heap.base();
            int offsets = heap.offsets();
            heap.removeFirst();
            due(base, offsets);
        }
        if (job != Job.READ) {
            forgetDue(now);
        }
        listener.readOn();
        goOn();
    }

    /** Drops what is due, which needs no run; tells of what was behind the horizon. */
    private void forgetDue(long now) {
        for (; young.time() <= now; young.removeFirst()) {
            if (!near.horizon().isAfter(young.time(), young.base())) {
                due(young.base(), young.offsets());
            }
        }
    }

    void readOn() {
        listener.readOn();
    }

    /** Begins what is to be done next, if nothing is done now. */
    private void goOn() {
        if (closed) {
            return;
        }
        setTimer();
        if (job == null && near.needsMore()) {
            readRuns(near.horizon(), false);
        }
        if (job == null && (stalled || young.size() >= limits.runEntries())) {
            write();
        }
    }

    // ---- runs

    /** Reads what comes at or behind {@code from}. */
    private void readRuns(Key from, boolean atStart) {
        job = Job.READ;
        reading = from;
        near.extend();
        List<Run> runs = log.delays().runs().stream()
                .filter(run -> atStart ? run.last() > now() : run.last() >= from.time())
                .filter(run -> !replaced.contains(run.base()))
                .toList();
        new DelayRunReader(log, runs, new Far(from, atStart)).next();
    }

    /** Takes what comes at or behind a key. */
    private final class Far implements DelayRunReader.Receiver {
        private final Key from;
        private final boolean atStart;

        Far(Key from, boolean atStart) {
            this.from = from;
            this.atStart = atStart;
        }

        @Override
        public boolean entry(long time, long base, int offsets) {
            if (from.isAfter(time, base)) {
                return true;
            }
            if (time <= now()) {
                if (!atStart) {
                    due(base, offsets);
                }
                return true;
            }
            if (atStart) {
                pending.add(base, offsets);
            }
            near.add(time, base, offsets);
            return atStart || near.horizon().isAfter(time, base);
        }

        @Override
        public void read(Run run) {
            // the next follows
        }

        @Override
        public void lost(Run run) {
            startAgain(run);
        }

        @Override
        public void ended() {
            reading = Key.END;
            young.forEach((time, base, offsets) -> {
                if (!from.isAfter(time, base)) {
                    near.add(time, base, offsets);
                }
                if (atStart) {
                    pending.add(base, offsets);
                }
            });
            job = null;
            if (atStart) {
                loaded = true;
                follower.begin();
            }
            listener.readOn();
            goOn();
        }

        @Override
        public boolean isClosed() {
            return closed;
        }
    }

    /** Writes what stands in no run, or only how far the follower is. */
    private void write() {
        if (job != null || closed) {
            return;
        }
        job = Job.WRITE;
        stalled = false;
        long now = now();
        forgetDue(now);
        DelayRun.Writer writer = new DelayRun.Writer();
        for (; young.size() > 0; young.removeFirst()) {
            writer.add(young.time(), young.base(), young.offsets());
        }
        List<Long> without = new ArrayList<>(replaced);
        log.delays().runs().stream().filter(run -> run.last() <= now).forEach(run -> without.add(run.base()));
        replaced.clear();
        new Write(writer, without, follower.offset()).run();
    }

    private final class Write implements AppendReply {
        private final DelayRun.Writer writer;
        private final List<Long> without;
        private final long indexedTo;

        Write(DelayRun.Writer writer, List<Long> without, long indexedTo) {
            this.writer = writer;
            this.without = without;
            this.indexedTo = indexedTo;
        }

        void run() {
            if (!closed) {
                log.container().executeAppend(LoopTask.of(this::append, this::failed));
            }
        }

        private void append() {
            ByteBuf entry = writer.entry(allocator, indexedTo, without, now());
            log.append(entry, this);
        }

        @Override
        public void appended(long baseOffset, long lastOffset) {
            if (closed) {
                return;
            }
            job = null;
            merge();
            goOn();
            follower.follow();
            listener.readOn();
        }

        @Override
        public void duplicate(long baseOffset, long lastOffset) {
            throw new IllegalStateException("an index of delayed entries has no producer");
        }

        @Override
        public void rejected(AppendRejection why) {
            again();
        }

        @Override
        public void failed(StoreFailure why) {
            again();
        }

        /** If the container stops first, all ends with it. */
        private void again() {
            if (!closed && log.container().onLoop()) {
                log.container().schedule(RETRY_MILLIS, LoopTask.of(this::run));
            }
        }
    }

    /** Where there are too many runs, small ones become young again, together as much as a run has. */
    private void merge() {
        List<Run> all = log.delays().runs();
        if (all.size() <= limits.runs()) {
            return;
        }
        List<Run> small = new ArrayList<>();
        int entries = young.size();
        for (Run run :
                all.stream().sorted(Comparator.comparingInt(Run::entries)).toList()) {
            entries += run.entries();
            if (entries > limits.runEntries()) {
                break;
            }
            small.add(run);
        }
        if (small.size() > 1) {
            job = Job.MERGE;
            new DelayRunReader(log, small, new Small()).next();
        }
    }

    private final class Small implements DelayRunReader.Receiver {
        private boolean hasRoom = true;

        @Override
        public boolean entry(long time, long base, int offsets) {
            hasRoom = hasRoom && (time <= now() || young.add(time, base, offsets));
            return hasRoom;
        }

        /** If it has found no room, entries that were added already are told of twice. */
        @Override
        public void read(Run run) {
            if (hasRoom) {
                replaced.add(run.base());
            }
        }

        @Override
        public void lost(Run run) {
            startAgain(run);
        }

        @Override
        public void ended() {
            job = null;
            write();
        }

        @Override
        public boolean isClosed() {
            return closed;
        }
    }
}
