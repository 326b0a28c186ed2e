package io.sluice.store.segment;

import java.util.ArrayDeque;

/** Callbacks of one term that wait for the durability of what an {@link InMemoryLog} has. */
final class UndurableWaits {
    private final InMemoryLog log;
    private final ArrayDeque<Pending> pending = new ArrayDeque<>();
    /** For what is safe, which in a log that defers is later. */
    private final ArrayDeque<Pending> waiting = new ArrayDeque<>();

    private record Pending(int opsBefore, Durable done) {}

    UndurableWaits(InMemoryLog log) {
        this.log = log;
    }

    /** @param safe whether an acknowledgement that the crash of a machine takes back is too little */
    void add(Durable done, boolean safe) {
        (log.deferred && safe ? waiting : pending).add(new Pending(log.ops.size(), done));
    }

    /** Syncs what was durable before this turn if somebody waits for it, and calls back; gives how much was done. */
    int complete(int acknowledged) {
        int done = log.durable - acknowledged + sync(acknowledged);
        for (Pending p = pending.peek(); p != null && p.opsBefore() <= log.durable; p = pending.peek()) {
            pending.remove().done().durable();
            done++;
        }
        return done;
    }

    private int sync(int acknowledged) {
        if (!log.deferred) {
            log.synced = log.durable;
        } else if (!waiting.isEmpty() && log.synced < acknowledged) {
            log.synced = acknowledged;
        }
        int done = waiting.isEmpty() ? 0 : 1;
        for (Pending p = waiting.peek(); p != null && p.opsBefore() <= log.synced; p = waiting.peek()) {
            waiting.remove().done().durable();
        }
        return done;
    }

    void fail(StoreFailure why) {
        for (Pending p = pending.poll(); p != null; p = pending.poll()) {
            p.done().failed(why);
        }
        for (Pending p = waiting.poll(); p != null; p = waiting.poll()) {
            p.done().failed(why);
        }
    }
}
