package io.sluice.store.container;

import io.sluice.store.segment.Durable;
import io.sluice.store.wal.LedgerWriter;
import io.sluice.store.wal.Wal;
import io.sluice.store.wal.WalException;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Adds ledgers to the log's end and drops them from its head. The next ledger is opened ahead of its need, so that nobody
 * waits for it. Loop only; what blocks runs as a task and comes back as a post.
 */
final class LedgerRoller {
    private static final Logger log = LoggerFactory.getLogger(LedgerRoller.class);

    /** How long a new ledger must have been the better one: a machine that is started again is back sooner. */
    static final long WORN_MICROS = 10_000_000;

    private final ContainerConfig.Log config;
    private final Tasks tasks;
    private final LogSpace space;
    private final LogLength length;
    private final FramePipeline pipeline;
    private final Host host;

    private @Nullable Wal wal;
    private @Nullable LedgerWriter current;
    private @Nullable LedgerWriter next;
    private final RetriedStep opening = new RetriedStep();
    private final RetriedStep truncating = new RetriedStep();
    private long checkpointBytes;
    private long nowMicros;
    private long begunMicros;
    private LogSpace.@Nullable Ledger ledger;
    private long failures;
    private long wornSince = -1;
    private boolean toRoll;

    /** The container, as the chain needs it. */
    interface Host {
        /** {@code ledger} is what operations go into from now on, a checkpoint first; returns the checkpoint's bytes. */
        long rolled(LogSpace.Ledger ledger, Durable checkpointed);

        void post(Runnable onLoop);

        void lost(WalException why);

        int id();
    }

    LedgerRoller(
            ContainerConfig.Log config,
            Tasks tasks,
            LogSpace space,
            LogLength length,
            FramePipeline pipeline,
            Host host) {
        this.config = config;
        this.tasks = tasks;
        this.space = space;
        this.length = length;
        this.pipeline = pipeline;
        this.host = host;
    }

    /** Starts the term's first ledger. */
    void begin(Wal term, LedgerWriter first, Durable checkpointed) {
        wal = term;
        rollInto(first, checkpointed);
    }

    /** Begins a new ledger as soon as there is one, however short the present one is. */
    void rollSoon() {
        toRoll = true;
    }

    /** Whether {@link #rollSoon} was asked for and has not come yet. */
    boolean isToRoll() {
        return toRoll;
    }

    /** Starts what is due. */
    void turn(long now) {
        nowMicros = now;
        if (opening.isLost(now) || truncating.isLost(now)) {
            host.lost(new WalException.Unavailable("a change of the log's ledgers does not come back", null));
            return;
        }
        long bytes = pipeline.ledgerBytes() - checkpointBytes;
        // a large state is not written again after little log, nor a log kept too long to be capped
        long rollAt = Math.min(config.limitBytes() / 4, Math.max(config.ledgerBytes(), 4 * checkpointBytes));
        boolean anyway = isWorn(now) || toRoll || hasManyFrames(bytes, now);
        if ((anyway || bytes >= rollAt / 2) && next == null && opening.due(now)) {
            opening.started(now);
            tasks.start("open-ledger-" + host.id(), this::openLedger);
        }
        LedgerWriter ready = next;
        if ((anyway || bytes >= rollAt) && ready != null) {
            next = null;
            wornSince = -1;
            toRoll = false;
            rollInto(ready, Durable.IGNORED);
        }
        long firstNeeded = truncating.due(now) ? space.firstNeeded() : -1;
        if (firstNeeded >= 0) {
            truncating.started(now);
            tasks.start("truncate-log-" + host.id(), () -> truncate(firstNeeded));
        }
    }

    /** A large state is not written again after few bytes, however many frames they are. */
    private boolean hasManyFrames(long bytes, long now) {
        return ledger != null && bytes >= checkpointBytes && length.isEnough(ledger, begunMicros, now);
    }

    private boolean isWorn(long now) {
        LedgerWriter writer = current;
        if (writer == null || !writer.isToBeReplaced()) {
            wornSince = -1;
            return false;
        }
        wornSince = wornSince < 0 ? now : wornSince;
        return now - wornSince >= WORN_MICROS;
    }

    private void rollInto(LedgerWriter ready, Durable checkpointed) {
        LedgerWriter previous = current;
        current = ready;
        LogSpace.Ledger begun = space.add(ready.ledger());
        ledger = begun;
        begunMicros = nowMicros;
        pipeline.startLedger(ready, begun);
        Durable then = Durable.of(
                () -> {
                    begun.checkpointDurable = true;
                    if (previous != null) {
                        tasks.start("close-ledger-" + host.id(), () -> close(previous));
                    }
                    checkpointed.durable();
                },
                checkpointed::failed);
        checkpointBytes = host.rolled(begun, then);
    }

    private void openLedger() {
        try {
            LedgerWriter opened = Objects.requireNonNull(wal).startLedger();
            host.post(() -> {
                opening.ended();
                next = opened;
            });
        } catch (Throwable e) {
            host.post(() -> failed(opening, "open a ledger", e));
        }
    }

    private void truncate(long firstRetained) {
        try {
            Objects.requireNonNull(wal).truncate(firstRetained);
            host.post(() -> {
                truncating.ended();
                space.truncated(firstRetained);
            });
        } catch (Throwable e) {
            host.post(() -> failed(truncating, "drop ledgers", e));
        }
    }

    /** Whatever it is that a library throws, the step has failed and is tried again; only the log itself can end the term. */
    private void failed(RetriedStep step, String what, Throwable why) {
        failures++;
        step.failed(nowMicros);
        switch (why) {
            case WalException.Unavailable unavailable ->
                log.warn("Container {} could not {}, will try again: {}", host.id(), what, unavailable.getMessage());
            case WalException lost -> host.lost(lost);
            default -> log.error("Container {} could not {}, will try again", host.id(), what, why);
        }
    }

    /** Counts steps that failed. */
    long failures() {
        return failures;
    }

    private void close(LedgerWriter previous) {
        try {
            previous.close();
        } catch (WalException | RuntimeException e) {
            // its frames are all acknowledged; the next owner closes it
            log.warn("Container {} could not close ledger {}: {}", host.id(), previous.ledger(), e.toString());
        }
    }
}
