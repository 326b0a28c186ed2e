package io.sluice.store.container;

import io.sluice.store.segment.Durable;
import io.sluice.store.segment.StoreFailure;
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
final class LedgerChain {
    private static final Logger log = LoggerFactory.getLogger(LedgerChain.class);

    /** Pause before a step that failed is tried again, microseconds. */
    private static final long RETRY_MICROS = 500_000;

    private final ContainerConfig.Log config;
    private final Tasks tasks;
    private final LogSpace space;
    private final FramePipeline pipeline;
    private final Host host;

    private @Nullable Wal wal;
    private @Nullable LedgerWriter current;
    private @Nullable LedgerWriter next;
    private boolean opening;
    private boolean truncating;
    private long checkpointBytes;
    private long retryAt;

    /** The container, as the chain needs it. */
    interface Host {
        /** {@code ledger} is what operations go into from now on, a checkpoint first; returns the checkpoint's bytes. */
        long rolled(LogSpace.Ledger ledger, Durable checkpointed);

        void post(Runnable onLoop);

        void lost(WalException why);

        int id();
    }

    LedgerChain(ContainerConfig.Log config, Tasks tasks, LogSpace space, FramePipeline pipeline, Host host) {
        this.config = config;
        this.tasks = tasks;
        this.space = space;
        this.pipeline = pipeline;
        this.host = host;
    }

    /** Starts the term's first ledger. */
    void begin(Wal term, LedgerWriter first, Durable checkpointed) {
        wal = term;
        rollInto(first, checkpointed);
    }

    /** Starts what is due. */
    void turn(long now) {
        long bytes = pipeline.ledgerBytes() - checkpointBytes;
        // a large state is not written again after little log, nor a log kept too long to be capped
        long rollAt = Math.min(config.limitBytes() / 4, Math.max(config.ledgerBytes(), 4 * checkpointBytes));
        if (bytes >= rollAt / 2 && next == null && !opening && now >= retryAt) {
            opening = true;
            tasks.start("open-ledger-" + host.id(), () -> openLedger(now));
        }
        LedgerWriter ready = next;
        if (bytes >= rollAt && ready != null) {
            next = null;
            rollInto(ready, Durable.IGNORED);
        }
        long firstNeeded = truncating || now < retryAt ? -1 : space.firstNeeded();
        if (firstNeeded >= 0) {
            truncating = true;
            tasks.start("truncate-log-" + host.id(), () -> truncate(firstNeeded, now));
        }
    }

    private void rollInto(LedgerWriter ready, Durable checkpointed) {
        LedgerWriter previous = current;
        current = ready;
        LogSpace.Ledger ledger = space.add(ready.ledger());
        pipeline.startLedger(ready, ledger);
        checkpointBytes = host.rolled(ledger, new Durable() {
            @Override
            public void durable() {
                ledger.checkpointDurable = true;
                if (previous != null) {
                    tasks.start("close-ledger-" + host.id(), () -> close(previous));
                }
                checkpointed.durable();
            }

            @Override
            public void failed(StoreFailure why) {
                checkpointed.failed(why);
            }
        });
    }

    private void openLedger(long now) {
        try {
            LedgerWriter opened = Objects.requireNonNull(wal).startLedger();
            host.post(() -> {
                opening = false;
                next = opened;
            });
        } catch (WalException e) {
            host.post(() -> {
                opening = false;
                failed("open a ledger", e, now);
            });
        }
    }

    private void truncate(long firstRetained, long now) {
        try {
            Objects.requireNonNull(wal).truncate(firstRetained);
            host.post(() -> {
                truncating = false;
                space.truncated(firstRetained);
            });
        } catch (WalException e) {
            host.post(() -> {
                truncating = false;
                failed("drop ledgers", e, now);
            });
        }
    }

    private void failed(String what, WalException why, long now) {
        if (why instanceof WalException.Unavailable) {
            retryAt = now + RETRY_MICROS;
            log.warn("Container {} could not {}, will try again: {}", host.id(), what, why.getMessage());
        } else {
            host.lost(why);
        }
    }

    private void close(LedgerWriter previous) {
        try {
            previous.close();
        } catch (WalException e) {
            // its frames are all acknowledged; the next owner closes it
            log.warn("Container {} could not close ledger {}: {}", host.id(), previous.ledger(), e.getMessage());
        }
    }
}
