package io.sluice.pulsar.dispatch;

import io.netty.buffer.ByteBuf;
import io.sluice.pulsar.wire.MessageFrames;
import io.sluice.pulsar.wire.OutFrame;
import io.sluice.store.segment.SegmentContainer;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** A consumer of one subscription. Loop only, but for what is final. */
public final class Consumer {
    /**
     * @param id chosen by the client, unique on its connection
     * @param priority 0 is served first
     * @param ranges key hashes it asked for, inclusive pairs; empty unless it is sticky
     * @param metadata the client's own, for stats
     * @param readCompacted wants what compaction has left, where it is
     */
    public record Identity(
            long id,
            String name,
            int priority,
            List<HashRange> ranges,
            Map<String, String> metadata,
            boolean readCompacted) {
        /** Identity of a consumer of all key hashes. */
        public Identity(long id, String name, int priority, List<HashRange> ranges, Map<String, String> metadata) {
            this(id, name, priority, ranges, metadata, false);
        }
    }

    /** Both ends inclusive. */
    public record HashRange(int start, int end) {}

    private final Identity identity;
    private final Outlet outlet;
    private final long connectedAt;
    private final Traffic out;
    private final Traffic redelivered;
    final ConsumerTimes times = new ConsumerTimes();

    /** Messages the client will take; may dip below zero by a batch. */
    int permits;

    /** Messages sent and not acknowledged; kept for the shared kinds. */
    int unacked;

    long epoch;

    /** Its client may be told about it: it was answered, and has used the consumer or had time to get to know it. */
    boolean introduced;

    /** Makes it so after a moment. */
    SegmentContainer.@Nullable Scheduled introduction;

    /** There is nothing more to come, ever, and its client was told. */
    boolean toldOfEnd;

    @Nullable
    Subscription subscription;

    private @Nullable ByteBuf gathered;
    /** Sent to it. */
    private long entries;

    /** It waits for room on its connection. */
    private final AtomicBoolean paused = new AtomicBoolean();

    /**
     * @param epoch rises with every redelivery the client asks for; -1 if it does not keep one
     * @param connectedAt milliseconds since the epoch
     */
    public Consumer(Identity identity, Outlet outlet, long epoch, long connectedAt) {
        this.identity = identity;
        this.outlet = outlet;
        this.epoch = epoch;
        this.connectedAt = connectedAt;
        this.out = new Traffic(connectedAt);
        this.redelivered = new Traffic(connectedAt);
    }

    public Identity identity() {
        return identity;
    }

    public long id() {
        return identity.id();
    }

    public String name() {
        return identity.name();
    }

    int priority() {
        return identity.priority();
    }

    public boolean readsCompacted() {
        return identity.readCompacted();
    }

    Outlet outlet() {
        return outlet;
    }

    void cancelIntroduction() {
        if (introduction != null) {
            introduction.cancel();
            introduction = null;
        }
    }

    /** Where small messages of this turn go, in front of the next larger one. */
    ByteBuf gathering(MessageFrames frames) {
        ByteBuf out = gathered;
        if (out == null) {
            out = frames.gathering();
            gathered = out;
        }
        return out;
    }

    void sendGathered() {
        ByteBuf out = gathered;
        if (out != null) {
            gathered = null;
            outlet.send(new OutFrame(out, null));
        }
    }

    void delivered(int messages, int bytes, boolean again) {
        entries++;
        out.add(messages, bytes);
        if (again) {
            redelivered.add(messages, bytes);
        }
    }

    boolean ready() {
        return permits > 0 && outlet.ready(this);
    }

    /**
     * Bytes of new messages that it can be sent now: what its permits are worth, and what its connection has room for.
     *
     * @param averageMessage bytes
     * @param sharing how many consumers the read is for, of whom some may be on the same connection
     */
    int wants(int averageMessage, int most, int sharing) {
        long wanted = Math.min((long) permits * averageMessage, most / sharing);
        return (int) Math.max(0, Math.min(wanted, outlet.room() / sharing));
    }

    /** False if it waits for room on its connection already. */
    public boolean pause() {
        return paused.compareAndSet(false, true);
    }

    /** It goes on. Any thread. */
    public void resume() {
        paused.set(false);
    }

    /** Null when it was closed meanwhile. */
    public @Nullable Subscription subscription() {
        return subscription;
    }

    ConsumerView view(boolean blocked, long now) {
        return new ConsumerView(
                identity,
                outlet.address(),
                outlet.clientVersion(),
                connectedAt,
                permits,
                unacked,
                blocked,
                out.view(now),
                redelivered.view(now),
                times.view(),
                entries,
                subscription == null ? List.of() : subscription.hashesOf(this));
    }
}
