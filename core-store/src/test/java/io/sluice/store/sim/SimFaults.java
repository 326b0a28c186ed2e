package io.sluice.store.sim;

import io.sluice.store.wal.InMemoryWalStore;
import io.sluice.store.wal.WalException;
import java.io.IOException;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/** How the log misbehaves: late answers, refusals, tails that a change of owner loses. */
final class SimFaults implements InMemoryWalStore.Faults {
    private final Random random;
    private final EventQueue events;
    private final Bug bug;
    private boolean healed;

    SimFaults(Random random, EventQueue events, Bug bug) {
        this.random = random;
        this.events = events;
        this.bug = bug;
    }

    /** From now on all goes well. */
    void heal() {
        healed = true;
    }

    /** True once in {@code times}, until {@link #heal}. */
    boolean oneIn(int times) {
        return random.nextInt(times) == 0 && !healed;
    }

    /** 0 to {@code most}, by chance. */
    int upTo(int most) {
        return random.nextInt(most + 1);
    }

    /** Mostly quick, now and then slow. */
    long delay() {
        return oneIn(50) ? random.nextInt(60_000) : 50 + random.nextInt(2_000);
    }

    @Override
    public void answer(Runnable delivery) {
        events.add(delay(), "answer", delivery);
    }

    @Override
    public @Nullable WalException refuse(String what, int container) {
        boolean refused = switch (what) {
            case "append" -> oneIn(2_000);
            case "open" -> oneIn(10);
            default -> oneIn(8);
        };
        return refused ? new WalException.Unavailable("planted", new IOException("planted")) : null;
    }

    @Override
    public int surviving(int unacknowledged) {
        if (bug == Bug.LOG_LOSES_ACKNOWLEDGED_FRAMES) {
            return -3;
        }
        return random.nextInt(unacknowledged + 1);
    }

    @Override
    public boolean fences() {
        return bug != Bug.LOG_DOES_NOT_FENCE;
    }
}
