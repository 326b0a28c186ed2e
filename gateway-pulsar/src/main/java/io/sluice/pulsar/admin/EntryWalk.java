package io.sluice.pulsar.admin;

import static io.sluice.pulsar.admin.AdminAnswers.await;

import io.sluice.broker.log.Isolation;
import io.sluice.broker.log.PartitionLog;
import io.sluice.pulsar.dispatch.EntryReader;
import io.sluice.pulsar.dispatch.EntryReader.Run;
import io.sluice.pulsar.dispatch.EntryReader.Seen;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Goes through a partition's entries on a request's virtual thread, run by run; a request that asks for too many of them is ended. */
final class EntryWalk {
    private static final int RUN_BYTES = 256 << 10;
    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(20);
    private static final int FIRST_WINDOW = 64;
    private static final int GROWTH = 8;

    private final EntryReader reader;
    private final PartitionLog log;
    private final long begun = System.nanoTime();

    EntryWalk(EntryReader reader, PartitionLog log) {
        this.reader = reader;
        this.log = log;
    }

    /** The run that begins with the entry that has {@code offset}, or the next one that is left. */
    Run from(long offset) throws AdminException {
        if (System.nanoTime() - begun > PATIENCE_NANOS) {
            throw new AdminException(503, "there are too many messages to look through before this one");
        }
        return await(log.container().<Run>ask(answer -> reader.read(log, offset, RUN_BYTES, answer)));
    }

    /** Sees entries in their order. */
    interface Visitor {
        /** False to see no more. */
        boolean see(Seen entry) throws AdminException;
    }

    /** Shows a visitor all entries from the one with this offset on. */
    void each(long offset, Visitor visitor) throws AdminException {
        long at = offset;
        while (true) {
            Run run = from(at);
            for (Seen entry : run.entries()) {
                if (!visitor.see(entry)) {
                    return;
                }
            }
            if (run.next() <= at) {
                return;
            }
            at = run.next();
        }
    }

    /** The newest {@code count} entries in their order; fewer if there are no more. */
    List<Seen> last(int count) throws AdminException {
        long[] ends =
                await(log.container().ask(() -> new long[] {log.startOffset(), log.readableEnd(Isolation.COMMITTED)}));
        for (long window = Math.max(FIRST_WINDOW, count); ; window *= GROWTH) {
            long from = Math.max(ends[0], ends[1] - window);
            List<Seen> all = new ArrayList<>();
            each(from, entry -> {
                all.add(entry);
                if (all.size() > count) {
                    all.removeFirst();
                }
                return true;
            });
            if (all.size() == count || from == ends[0]) {
                return all;
            }
        }
    }
}
