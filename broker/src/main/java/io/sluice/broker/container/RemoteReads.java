package io.sluice.broker.container;

import io.netty.buffer.ByteBuf;
import io.sluice.store.segment.ReadReply;
import io.sluice.store.segment.StoreException;
import io.sluice.store.segment.StoreFailure;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * Reads of segments that other nodes serve: a few at a time, so that what is on its way is bounded, the others in turn. Any thread.
 *
 * <pre>
 *   read ─► queue, bounded by number ─► 8 reads of 512 KiB at most under way ─► reply, on a thread of the network
 * </pre>
 */
public final class RemoteReads {
    private static final int MOST_UNDER_WAY = 8;
    private static final int MOST_WAITING = 10_000;

    /** A reader whose turn has not come by then comes again. */
    private static final Duration WAIT = Duration.ofSeconds(20);

    private final ContainerOperations operations;

    /** Guarded by this. */
    private final Deque<Waiting> waiting = new ArrayDeque<>();
    /** Guarded by this. */
    private int underWay;

    private record Waiting(int container, ReadSegment step, ReadReply reply, long deadline) {}

    public RemoteReads(ContainerOperations operations) {
        this.operations = operations;
    }

    /** As {@link io.sluice.store.segment.SegmentContainer#read}, with fewer bytes perhaps. */
    public void read(int container, long segment, long position, int maxBytes, ReadReply reply) {
        ReadSegment step = new ReadSegment(segment, position, Math.min(maxBytes, ReadSegment.MOST_BYTES));
        Waiting read = new Waiting(container, step, reply, System.nanoTime() + WAIT.toNanos());
        switch (admit(read)) {
            case BEGINS -> begin(read);
            case WAITS -> {}
            case REFUSED ->
                reply.failed(new StoreFailure.Overloaded("too many reads of what other nodes serve are waiting"));
        }
    }

    private enum Admission {
        BEGINS,
        WAITS,
        REFUSED
    }

    private synchronized Admission admit(Waiting read) {
        if (underWay < MOST_UNDER_WAY) {
            underWay++;
            return Admission.BEGINS;
        }
        if (waiting.size() == MOST_WAITING) {
            return Admission.REFUSED;
        }
        waiting.add(read);
        return Admission.WAITS;
    }

    private void begin(Waiting read) {
        operations.ask(read.container(), read.step()).whenComplete((data, why) -> {
            reply(read, data, why);
            next();
        });
    }

    private static void reply(Waiting read, @Nullable ByteBuf data, @Nullable Throwable why) {
        if (data != null) {
            read.reply().data(read.step().position(), data);
            return;
        }
        StoreFailure declined = why == null ? null : StoreException.failureIn(why);
        read.reply()
                .failed(
                        declined != null
                                ? declined
                                : new StoreFailure.NotOwner(
                                        read.container(), "a read of another node's container failed: " + why));
    }

    /** Lets the next one begin that is still waited for; in a loop, for what fails at once is answered on this thread. */
    private void next() {
        while (true) {
            Waiting read;
            synchronized (this) {
                read = waiting.poll();
                if (read == null) {
                    underWay--;
                    return;
                }
            }
            if (System.nanoTime() - read.deadline() < 0) {
                begin(read);
                return;
            }
            read.reply()
                    .failed(new StoreFailure.NotOwner(
                            read.container(), "the turn of a read of another node's container did not come in time"));
        }
    }
}
