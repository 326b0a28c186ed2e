package io.sluice.store.container;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Takes the time of a recovery's steps: by one thread at a time. */
final class RecoveryClock {
    private long at;
    private Duration fence = Duration.ZERO;
    private Duration replay = Duration.ZERO;
    private Duration ledger = Duration.ZERO;
    private int ledgers;
    private long frames;
    private long bytes;
    private volatile @Nullable RecoveryTimes times;

    void begin() {
        at = System.nanoTime();
    }

    private Duration lap() {
        long before = at;
        at = System.nanoTime();
        return Duration.ofNanos(at - before);
    }

    void fenced() {
        fence = lap();
    }

    void replayed(int ledgersRead, long framesRead, long bytesRead) {
        replay = lap();
        ledgers = ledgersRead;
        frames = framesRead;
        bytes = bytesRead;
    }

    void ledgerOpened() {
        ledger = lap();
    }

    void checkpointed() {
        times = new RecoveryTimes(fence, replay, ledger, lap(), ledgers, frames, bytes);
    }

    /** Null until the checkpoint is durable. Any thread. */
    @Nullable
    RecoveryTimes times() {
        return times;
    }
}
