package io.sluice.pulsar.dispatch;

import io.netty.buffer.ByteBuf;
import io.sluice.pulsar.metrics.Traffic;
import io.sluice.pulsar.wire.MessageFrames;
import io.sluice.pulsar.wire.OutFrame;
import io.sluice.store.segment.SegmentContainer;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** A consumer of one subscription. Loop only, but for what is final. */
public final class Consumer {
    /** Subscription of a consumer, as far as the consumer knows it. */
    public interface Home {
        /** Takes the consumer off the subscription. */
        void remove(Consumer consumer);

        /** Any thread: goes on handing out soon; {@code then} runs on the loop after it, or when that is no longer possible. */
        void wake(Runnable then);

        /** Key hashes that the consumer gets; empty unless the subscription goes by key. */
        List<HashRange> hashesOf(Consumer consumer);
    }

    private final ConsumerIdentity identity;
    private final ConsumerOutlet outlet;
    private final long connectedAt;
    private final Traffic out;
    private final Traffic redelivered;
    private final Traffic acked;
    final ConsumerTimes times = new ConsumerTimes();

    /** Messages the client will take; may dip below zero by a batch. */
    int permits;

    /** Messages sent and not acknowledged; kept for the shared kinds. */
    int unacked;

    /** It holds as many as it may, and gets no more until it has acknowledged half of them. */
    boolean full;

    long epoch;

    /** Its client may be told about it: it was answered, and has used the consumer or had time to get to know it. */
    boolean introduced;

    /** Makes it so after a moment. */
    SegmentContainer.@Nullable Scheduled introduction;

    /** There is nothing more to come, ever, and its client was told. */
    boolean toldOfEnd;

    /** Null before it has joined a subscription, and after it has left. */
    @Nullable
    Home home;

    private @Nullable ByteBuf gathered;
    /** Sent to it. */
    private long entries;

    /** It waits for room on its connection. */
    private final AtomicBoolean paused = new AtomicBoolean();

    /**
     * @param epoch rises with every redelivery the client asks for; -1 if it does not keep one
     * @param connectedAt milliseconds since the epoch
     */
    public Consumer(ConsumerIdentity identity, ConsumerOutlet outlet, long epoch, long connectedAt) {
        this.identity = identity;
        this.outlet = outlet;
        this.epoch = epoch;
        this.connectedAt = connectedAt;
        this.out = new Traffic(connectedAt);
        this.redelivered = new Traffic(connectedAt);
        this.acked = new Traffic(connectedAt);
    }

    public ConsumerIdentity identity() {
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

    ConsumerOutlet outlet() {
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

    void acknowledged(long messages) {
        acked.add(messages, 0);
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
    public @Nullable Home home() {
        return home;
    }

    /** Whether it has joined its subscription and has not left. */
    public boolean isSubscribed() {
        return home != null;
    }

    /** Takes it off its subscription, if it is not off already. */
    public void leave() {
        if (home != null) {
            home.remove(this);
        }
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
                acked.view(now),
                times.view(),
                entries,
                home == null ? List.of() : home.hashesOf(this));
    }
}
