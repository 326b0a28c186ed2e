package io.sluice.pulsar.connection;

import io.netty.channel.Channel;
import io.sluice.broker.memory.ProtocolShare;
import io.sluice.pulsar.rates.PublishPace;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * The publishes of one connection that are not answered yet, and whether its socket is read. It is not while
 * <ul>
 *   <li>as many publishes are pending as one connection may have; it is read again when half of them are answered,
 *   <li>there is no memory for more requests ({@link io.sluice.broker.memory.ConnectionMemory}),
 *   <li>one of its producers was faster than its topic's rate, all of them than its user's quota, or its commands took more time than that,
 *   <li>the channel is not writable: the client does not take what it was sent, so it gets nothing more to answer.
 * </ul>
 * None of these waits for something that the client would say over this connection. Event loop only.
 *
 * <p>Each publish is an append of its own, since the store has room for the largest one and not for all of them; those of one
 * socket read are submitted together.
 */
final class PendingPublishes {
    private static final long STEP_MILLIS = 500;

    private final Channel channel;
    private final ProtocolShare budget;
    private final int most;
    private final ConnectionRates rates;
    /** Topics that were published to faster than they may be. */
    private final Set<PublishPace> exceeded = new HashSet<>();

    private final List<PendingSend> ofThisRead = new ArrayList<>();
    private int pending;
    private boolean memoryIsShort;
    /** By {@link System#nanoTime}, while {@link #paused}. */
    private long pausedUntil;

    private boolean paused;

    PendingPublishes(Channel channel, ProtocolShare budget, int most, ConnectionRates rates) {
        this.channel = channel;
        this.budget = budget;
        this.most = most;
        this.rates = rates;
    }

    /** Takes a publish; {@link #submit} follows at the end of the socket read. */
    void add(PendingSend send) {
        pending++;
        ofThisRead.add(send);
        budget.take(send.parcel().bytes());
        count(send.parcel().bytes());
        updateAutoRead();
    }

    /** Counts bytes that are published for the user's quota. */
    void count(int bytes) {
        long wait = rates.published(bytes);
        if (wait > 0) {
            pause(wait);
        }
    }

    /** A publish that is refused here and never goes to the log. */
    void addRefused() {
        pending++;
        updateAutoRead();
    }

    /** Hands the publishes of this read to their containers. */
    void submit() {
        for (PendingSend send : ofThisRead) {
            send.submit();
        }
        ofThisRead.clear();
    }

    /** A publish was answered, or never will be. */
    void settled(int bytes) {
        pending--;
        budget.giveBack(bytes);
        updateAutoRead();
    }

    /** Whether there is memory for what this connection would read. */
    void memory(boolean room) {
        memoryIsShort = !room;
        updateAutoRead();
    }

    /** Reads nothing for so long, or longer if that was said before. */
    void pause(long millis) {
        long until = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
        if (!paused) {
            paused = true;
            pausedUntil = until;
            resumeAfter(millis);
            updateAutoRead();
        } else if (until - pausedUntil > 0) {
            pausedUntil = until;
        }
    }

    /** Reads nothing while the topic says so. In steps, since its rate may rise meanwhile. */
    void pauseWhile(PublishPace pace) {
        long wait = pace.publishWait();
        if (wait > 0) {
            exceeded.add(pace);
            pause(Math.min(wait, STEP_MILLIS));
        }
    }

    private long paceWait() {
        exceeded.removeIf(pace -> pace.publishWait() == 0);
        long wait = 0;
        for (PublishPace pace : exceeded) {
            wait = Math.max(wait, Math.min(pace.publishWait(), STEP_MILLIS));
        }
        return wait;
    }

    private void resumeAfter(long millis) {
        channel.eventLoop().schedule(this::resume, millis, TimeUnit.MILLISECONDS);
    }

    private void resume() {
        long left = TimeUnit.NANOSECONDS.toMillis(pausedUntil - System.nanoTime());
        left = left > 0 ? left : Math.max(rates.publishWait(), paceWait());
        if (left > 0 && channel.isActive()) {
            resumeAfter(left);
            return;
        }
        paused = false;
        if (channel.isActive()) {
            updateAutoRead();
        }
    }

    /** The socket is not read for reasons of this connection's own. */
    boolean pausesReading() {
        return pending >= most || paused || !channel.isWritable();
    }

    void updateAutoRead() {
        boolean auto = channel.config().isAutoRead();
        if (memoryIsShort || pausesReading()) {
            if (auto) {
                channel.config().setAutoRead(false);
            }
        } else if (!auto && pending <= most / 2) {
            channel.config().setAutoRead(true);
        }
    }
}
