package io.sluice.pulsar.dispatch;

import io.netty.buffer.ByteBuf;
import io.netty.util.collection.IntObjectHashMap;
import io.sluice.broker.subscription.Cursor;
import io.sluice.pulsar.format.StoredEntry;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.List;
import java.util.TreeMap;
import org.apache.pulsar.common.api.proto.MessageMetadata;
import org.jspecify.annotations.Nullable;

/**
 * Shared and Key_Shared: entries are dealt out to all consumers; what is given back, or waits for its key's consumer, is sent
 * again before anything new. Under Key_Shared an entry never overtakes one of the same key.
 */
final class Sharing extends Subscription {
    private final @Nullable KeyRouting keys;
    private final boolean keepOrder;
    private final HashesInFlight inFlight = new HashesInFlight();
    /** Entries without an owner, by base offset; also in {@code outstanding}. */
    private final TreeMap<Long, Delivered> waiting = new TreeMap<>();
    /** How many of {@link #waiting} have a hash. */
    private final IntObjectHashMap<Integer> waitingByHash = new IntObjectHashMap<>();

    private final MessageMetadata scratch = new MessageMetadata();
    /** Hashes met in one look through {@link #waiting}; kept to save making it. */
    private final BitSet passed = new BitSet();

    private int turn;

    /** @param keys null for Shared */
    Sharing(PartitionHub hub, Cursor cursor, boolean durable, @Nullable KeyRouting keys, boolean keepOrder) {
        super(hub, cursor, durable);
        this.keys = keys;
        this.keepOrder = keepOrder;
    }

    boolean isSticky() {
        return keys instanceof StickyHashes;
    }

    @Override
    String keySharedMode() {
        return keys == null ? "" : isSticky() ? "STICKY" : "AUTO_SPLIT";
    }

    @Override
    List<Consumer.HashRange> hashesOf(Consumer consumer) {
        return keys == null ? List.of() : keys.rangesOf(consumer);
    }

    @Override
    boolean outOfOrder() {
        return keys != null && !keepOrder;
    }

    @Override
    boolean isShared() {
        return true;
    }

    @Override
    String type() {
        return keys == null ? "Shared" : "Key_Shared";
    }

    @Override
    @Nullable
    String join(Consumer consumer) {
        String why = keys == null ? null : keys.add(consumer);
        if (why == null) {
            consumers.add(consumer);
            consumers.sort(Comparator.comparingInt(Consumer::priority));
        }
        return why;
    }

    @Override
    void left(Consumer consumer) {
        if (keys != null) {
            keys.remove(consumer);
        }
        for (Delivered d : outstanding.all()) {
            if (d.owner == consumer) {
                takeBack(d);
            }
        }
        if (consumers.isEmpty()) {
            // the next consumer starts from the cursor; nothing needs to be remembered until then
            forgetHeld();
            rewind();
        }
    }

    private void takeBack(Delivered d) {
        Consumer owner = d.owner;
        if (owner == null) {
            return;
        }
        owner.unacked -= d.unacked;
        d.owner = null;
        d.redelivered++;
        if (keys != null) {
            inFlight.settled(d.hash);
        }
        hold(d);
    }

    private void hold(Delivered d) {
        waiting.put(d.base, d);
        if (keys != null) {
            waitingByHash.merge(d.hash, 1, Integer::sum);
        }
    }

    private void unhold(Delivered d) {
        if (waiting.remove(d.base) != null && keys != null) {
            waitingByHash.computeIfPresent(d.hash, (h, n) -> n == 1 ? null : n - 1);
        }
    }

    private boolean free(Consumer c) {
        return !blocked(c) && c.ready();
    }

    @Override
    boolean blocked(Consumer c) {
        return c.unacked >= hub.limits().unackedMessages();
    }

    @Override
    boolean isServed(Consumer c) {
        return !blocked(c);
    }

    // ---- choosing

    @Override
    long wanted() {
        if (nextFree() == null) {
            return -1;
        }
        Delivered again = nextWaiting();
        if (again != null) {
            return again.base;
        }
        boolean full = keys == null
                ? !waiting.isEmpty()
                : waiting.size() >= hub.limits().lookAhead();
        return full ? -1 : cursor.nextUnacked(readOffset);
    }

    private @Nullable Delivered nextWaiting() {
        if (waiting.isEmpty()) {
            return null;
        }
        if (keys == null) {
            return waiting.firstEntry().getValue();
        }
        passed.clear();
        for (Delivered d : waiting.values()) {
            if (!passed.get(d.hash) && takerOf(d.hash) != null) {
                return d;
            }
            if (keepOrder) {
                passed.set(d.hash);
            }
        }
        return null;
    }

    /** Who can be sent an entry of this hash right now. */
    private @Nullable Consumer takerOf(int hash) {
        if (keys == null) {
            return nextFree();
        }
        Consumer c = keys.select(hash);
        return c != null && free(c) && (!keepOrder || inFlight.openTo(hash, c)) ? c : null;
    }

    /** Round robin among the free consumers of the best priority; does not move on. */
    private @Nullable Consumer nextFree() {
        int n = consumers.size();
        Consumer best = null;
        for (int i = 0; i < n; i++) {
            Consumer c = consumers.get((turn + i) % n);
            if ((best == null || c.priority() < best.priority()) && free(c)) {
                best = c;
            }
        }
        return best;
    }

    @Override
    boolean offer(ByteBuf entries, int at, long base, int count) {
        Delivered known = outstanding.startingAt(base);
        if (known != null) {
            // was read for this one entry only
            offerAgain(entries, at, known);
            return false;
        }
        if (base + count <= readOffset) {
            return false;
        }
        int unacked = outstanding.unackedOf(base, count);
        if (unacked > 0) {
            int hash = keys == null ? 0 : StoredEntry.stickyHash(entries, at, scratch);
            Delivered d = new Delivered(base, count, hash, unacked);
            boolean overtakes = keys != null && keepOrder && waitingByHash.containsKey(hash);
            Consumer to = overtakes ? null : takerOf(hash);
            if (to != null) {
                deal(to, entries, at, d);
            } else if (keys == null || waiting.size() >= hub.limits().lookAhead()) {
                return false;
            } else {
                outstanding.add(d);
                hold(d);
            }
        }
        readOffset = base + count;
        return true;
    }

    private void offerAgain(ByteBuf entries, int at, Delivered d) {
        Consumer to = d.owner == null ? takerOf(d.hash) : null;
        if (to != null) {
            unhold(d);
            deal(to, entries, at, d);
        }
    }

    private void deal(Consumer to, ByteBuf entries, int at, Delivered d) {
        d.owner = to;
        outstanding.add(d);
        to.unacked += d.unacked;
        if (keys != null) {
            inFlight.sent(d.hash, to);
        } else {
            turn = (consumers.indexOf(to) + 1) % consumers.size();
        }
        send(to, entries, at, d);
    }

    // ---- coming back

    @Override
    void giveBack(Consumer consumer, List<Long> offsets, long epoch) {
        if (offsets.isEmpty()) {
            for (Delivered d : new ArrayList<>(outstanding.all())) {
                if (d.owner == consumer) {
                    takeBack(d);
                }
            }
            return;
        }
        for (long offset : offsets) {
            Delivered d = outstanding.holding(offset);
            if (d != null && d.owner == consumer) {
                takeBack(d);
            }
        }
    }

    @Override
    void settled(Delivered d, int messages) {
        if (d.owner != null) {
            d.owner.unacked -= messages;
            if (d.unacked == 0 && keys != null) {
                inFlight.settled(d.hash);
            }
        } else if (d.unacked == 0) {
            unhold(d);
        }
    }

    @Override
    void cleared(List<Consumer> gone) {
        if (keys != null) {
            gone.forEach(keys::remove);
        }
        forgetHeld();
    }

    private void forgetHeld() {
        waiting.clear();
        waitingByHash.clear();
        inFlight.clear();
    }

    @Override
    String activeName() {
        return "";
    }
}
