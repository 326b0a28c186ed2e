package io.sluice.pulsar.dispatch;

import io.netty.buffer.ByteBuf;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Exclusive and Failover: one consumer gets everything in order, the others stand by. A redelivery starts again at the first
 * message not acknowledged, because anything else would break the order; redeliveries are not counted, as in Pulsar.
 */
final class SingleActiveConsumer extends Subscription {
    /** Entries not acknowledged that are remembered; beyond it an ACK looks the entry up in the log. */
    private static final int REMEMBERED = 100_000;

    private final boolean failover;
    private @Nullable Consumer active;

    SingleActiveConsumer(Setup setup, boolean failover) {
        super(setup);
        this.failover = failover;
    }

    @Override
    boolean isShared() {
        return false;
    }

    @Override
    boolean readsCompacted() {
        return active != null && active.readsCompacted();
    }

    @Override
    public String type() {
        return failover ? "Failover" : "Exclusive";
    }

    @Override
    @Nullable
    String join(Consumer consumer) {
        if (!failover && !consumers.isEmpty()) {
            Consumer there = consumers.getFirst();
            if (there.outlet().connected()) {
                return "Exclusive consumer is already connected";
            }
            // its connection is gone and will say so later; the new one takes its place
            consumers.remove(there);
            letGo(there);
        }
        consumers.add(consumer);
        consumers.sort(order());
        if (!elect()) {
            tell(consumer);
        }
        return null;
    }

    /** By name where partitions should spread over the consumers; else the first that came stays active. */
    private Comparator<Consumer> order() {
        Comparator<Consumer> byPriority = Comparator.comparingInt(Consumer::priority);
        return partition() >= 0 ? byPriority.thenComparing(Consumer::name) : byPriority;
    }

    @Override
    void left(Consumer consumer) {
        if (!elect() && consumers.isEmpty()) {
            rewind();
        }
    }

    /** True if another consumer became active; then all whose clients know them have been told. */
    private boolean elect() {
        Consumer next = consumers.isEmpty() ? null : consumers.get(choice());
        if (next == active) {
            return false;
        }
        active = next;
        rewind();
        consumers.forEach(this::tell);
        return next != null;
    }

    private int choice() {
        if (partition() < 0) {
            return 0;
        }
        int top = consumers.getFirst().priority();
        int candidates = 0;
        while (candidates < consumers.size() && consumers.get(candidates).priority() == top) {
            candidates++;
        }
        return partition() % candidates;
    }

    private void tell(Consumer consumer) {
        if (failover && consumer.introduced) {
            consumer.outlet().activeChanged(consumer, consumer == active);
        }
    }

    @Override
    void introduced(Consumer consumer) {
        tell(consumer);
    }

    @Override
    long wanted() {
        return active != null && active.ready() ? cursor.nextFree(readOffset) : -1;
    }

    @Override
    boolean offer(ByteBuf entries, int at, long base, int offsets) {
        Consumer to = active;
        if (to == null || !to.ready()) {
            return false;
        }
        int unacked = outstanding.unackedOf(base, offsets);
        readOffset = base + offsets;
        if (unacked > 0) {
            Delivered d = new Delivered(base, offsets, 0, unacked);
            d.owner = to;
            if (outstanding.size() < REMEMBERED) {
                outstanding.add(d);
            }
            send(to, entries, at, d);
        }
        return true;
    }

    @Override
    void giveBack(Consumer consumer, List<Long> offsets, long epoch) {
        if (consumer == active) {
            consumer.epoch = Math.max(consumer.epoch, epoch);
            rewind();
        }
    }

    @Override
    int inReplay() {
        return 0;
    }

    @Override
    void settled(Delivered d, int messages) {
        // nothing is counted per consumer here
    }

    @Override
    void pending(Delivered d) {
        // redeliveries are not counted here
    }

    @Override
    void abortedAck(long from, long to) {
        // nor here
    }

    /** As Pulsar does: in order, so all that is not acknowledged is sent again. */
    @Override
    void givenBack(long first) {
        rewind();
    }

    @Override
    void cleared(List<Consumer> gone) {
        active = null;
    }

    @Override
    boolean blocked(Consumer consumer) {
        return false;
    }

    @Override
    boolean isServed(Consumer consumer) {
        return consumer == active;
    }

    @Override
    String activeName() {
        return active == null ? "" : active.name();
    }
}
