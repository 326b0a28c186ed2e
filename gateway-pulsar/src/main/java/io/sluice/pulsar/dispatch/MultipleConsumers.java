package io.sluice.pulsar.dispatch;

import io.netty.buffer.ByteBuf;
import io.netty.util.collection.IntObjectHashMap;
import io.sluice.pulsar.format.MalformedEntryException;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.List;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Shared and Key_Shared: entries are dealt out to all consumers; what is given back, or waits for its key's consumer, is sent
 * again before anything new. The chunks of a message go to one consumer. Under Key_Shared an entry never overtakes one of the
 * same key, unless it is a chunk of a message that a consumer has begun to receive.
 */
final class MultipleConsumers extends Subscription {
    private final @Nullable KeyRouting keys;
    private final boolean keepOrder;
    private final HashesInFlight inFlight = new HashesInFlight();
    private final ChunkedMessages chunks;
    private final RedeliveryCounts redeliveries = new RedeliveryCounts();
    /** Entries without an owner, by base offset; also in {@code outstanding}. */
    private final TreeMap<Long, Delivered> waiting = new TreeMap<>();
    /** How many of {@link #waiting} have a hash. */
    private final IntObjectHashMap<Integer> waitingByHash = new IntObjectHashMap<>();

    /** Hashes met in one look through {@link #waiting}; kept to save making it. */
    private final BitSet passed = new BitSet();

    private final SubscriptionDelays delays;

    private final UnackedBounds bounds;

    private int turn;

    /** @param keys null for Shared */
    MultipleConsumers(Setup setup, @Nullable KeyRouting keys, boolean keepOrder) {
        super(setup);
        this.keys = keys;
        this.keepOrder = keepOrder;
        this.chunks = new ChunkedMessages(keys != null);
        this.delays = new SubscriptionDelays(this, chunks);
        this.bounds = new UnackedBounds(context);
    }

    boolean isSticky() {
        return keys instanceof StickyHashes;
    }

    @Override
    boolean handsOutEachAlone() {
        return keys != null;
    }

    @Override
    String keySharedMode() {
        return keys == null ? "" : isSticky() ? "STICKY" : "AUTO_SPLIT";
    }

    @Override
    public List<HashRange> hashesOf(Consumer consumer) {
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
    public String type() {
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
        chunks.left(consumer);
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
        bounds.held(owner, -d.unacked);
        d.owner = null;
        d.redelivered++;
        letGoOf(d);
        hold(d);
    }

    /** Its consumer does not hold it any more. */
    private void letGoOf(Delivered d) {
        chunks.settled(d);
        if (keys != null) {
            inFlight.settled(d.hash);
        }
    }

    private void hold(Delivered d) {
        waiting.put(d.base, d);
        chunks.held(d);
        if (keys != null) {
            waitingByHash.merge(d.hash, 1, Integer::sum);
        }
    }

    private void unhold(Delivered d) {
        if (waiting.remove(d.base) == null) {
            return;
        }
        chunks.unheld(d);
        if (keys != null) {
            waitingByHash.computeIfPresent(d.hash, (h, n) -> n == 1 ? null : n - 1);
        }
    }

    private boolean free(Consumer c) {
        return isServed(c) && c.ready();
    }

    @Override
    boolean blocked(Consumer c) {
        return c.full;
    }

    @Override
    boolean blocked() {
        return bounds.isFull();
    }

    @Override
    boolean isServed(Consumer c) {
        return !bounds.isFull() && !c.full;
    }

    @Override
    void boundsChanged() {
        bounds.follow(consumers);
    }

    // ---- choosing

    @Override
    long wanted() {
        if (nextFree() == null || !delays.isReady()) {
            return -1;
        }
        Delivered again = nextWaiting();
        if (again != null) {
            return again.base;
        }
        boolean full = waiting.size() >= context.limits().lookAhead();
        return full ? -1 : delays.next();
    }

    @Override
    boolean readsOn(long offset) {
        return delays.readsOn(offset);
    }

    @Override
    void due(long base, int offsets) {
        delays.due(base, offsets);
    }

    @Override
    int inReplay() {
        return waiting.size();
    }

    @Override
    long delayed() {
        return delays.messages();
    }

    private @Nullable Delivered nextWaiting() {
        if (waiting.isEmpty() || (keys == null && nextFree() == null)) {
            return null;
        }
        passed.clear();
        for (Delivered d : waiting.values()) {
            boolean overtakes = keys != null && keepOrder && passed.get(d.hash) && chunks.holder(d) == null;
            if (!overtakes && takerOf(d) != null && !isBehindChunk(d)) {
                return d;
            }
            if (keys != null && keepOrder) {
                passed.set(d.hash);
            }
        }
        return null;
    }

    /** Consumer that can be sent the entry right now; null if there is none. */
    private @Nullable Consumer takerOf(Delivered d) {
        Consumer holder = chunks.holder(d);
        if (holder != null && isOpenTo(d, holder)) {
            return free(holder) ? holder : null;
        }
        if (keys == null) {
            return nextFree();
        }
        Consumer c = keys.select(d.hash);
        return c != null && free(c) && isOpenTo(d, c) ? c : null;
    }

    /** Whether an earlier chunk of the same message waits: it must go first. */
    private boolean isBehindChunk(Delivered d) {
        boolean waits = waiting.containsKey(d.base);
        int together = chunks.waiting(d);
        return waits
                ? together > 1
                        && waiting.headMap(d.base).values().stream().anyMatch(e -> ChunkedMessages.together(e, d))
                : together > 0;
    }

    private boolean isOpenTo(Delivered d, Consumer c) {
        return keys == null || !keepOrder || inFlight.openTo(d.hash, c);
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
    boolean offer(ByteBuf entries, int at, long base, int offsets) {
        Delivered known = outstanding.startingAt(base);
        if (known != null && known.offsets != offsets && known.owner == null) {
            return readAnew(known);
        }
        if (known != null) {
            boolean inTurn = base + offsets > readOffset && cursor.nextFree(readOffset) >= base;
            offerAgain(entries, at, known);
            if (inTurn) {
                // it is met again on the way from what a transaction gave back
                readOffset = base + offsets;
            }
            return inTurn; // else it was read for this one entry only
        }
        Delivered batch = outstanding.holding(base);
        if (batch != null && batch.owner == null) {
            return readAnew(batch);
        }
        if (base + offsets <= readOffset) {
            return offerDue(entries, at, base, offsets);
        }
        if (cursor.nextFree(readOffset) < base) {
            return false; // what was wanted is gone, and this is behind what is to be read next
        }
        if (batch != null) {
            // compaction has left it of a batch that a consumer holds: it comes when that is given back
            readOffset = base + offsets;
            return true;
        }
        int unacked = outstanding.unackedOf(base, offsets);
        boolean goesOn = unacked == 0
                || switch (delays.meet(entries, at, base, offsets)) {
                    case DELIVER -> offerNew(entries, at, base, offsets, unacked);
                    case PASS_OVER -> true;
                    case WAIT -> false;
                };
        if (goesOn) {
            readOffset = base + offsets;
        }
        return goesOn;
    }

    /** A part of the batch was compacted away since it was handed out: what is left are entries of their own. */
    private boolean readAnew(Delivered d) {
        unhold(d);
        redeliveries.apart(d, cursor.ackedBelow());
        outstanding.forget(d);
        readAgainFrom(d.base);
        return false;
    }

    /** Hands out an entry that was passed over, if it is due; true to go on to the next one that is. */
    private boolean offerDue(ByteBuf entries, int at, long base, int offsets) {
        if (delays.isDue(base)) {
            int unacked = outstanding.unackedOf(base, offsets);
            if (unacked > 0 && !offerNew(entries, at, base, offsets, unacked)) {
                return false;
            }
            delays.remove(base);
        }
        return delays.isAhead(base + offsets);
    }

    /** As Pulsar does: an entry whose metadata does not read cannot be dealt out, and is acknowledged. */
    private boolean offerNew(ByteBuf entries, int at, long base, int offsets, int unacked) {
        Delivered d;
        try {
            d = chunks.read(entries, at, unacked);
        } catch (MalformedEntryException e) {
            context.unreadable().malformed(base, e);
            outstanding.pass(base, offsets);
            return true;
        }
        return offerNew(entries, at, d);
    }

    private boolean offerNew(ByteBuf entries, int at, Delivered d) {
        boolean behind = isBehindChunk(d);
        if (!behind && isPassed(d)) {
            return true;
        }
        boolean inHand = chunks.holder(d) != null;
        boolean overtakes = keys != null && keepOrder && waitingByHash.containsKey(d.hash) && !inHand;
        Consumer to = overtakes || behind ? null : takerOf(d);
        if (to != null) {
            d.redelivered = redeliveries.take(d);
            deal(to, entries, at, d);
            return true;
        }
        boolean mayWait = (keys != null || inHand || behind)
                && waiting.size() < context.limits().lookAhead();
        if (mayWait) {
            d.redelivered = redeliveries.take(d);
            outstanding.add(d);
            hold(d);
        }
        return mayWait;
    }

    /** As Pulsar does where keys do not matter: a chunk whose message no consumer can put together is acknowledged. */
    private boolean isPassed(Delivered d) {
        return keys == null && chunks.isOrphan(d) && outstanding.pass(d.base, d.offsets);
    }

    private void offerAgain(ByteBuf entries, int at, Delivered d) {
        if (d.owner != null || isBehindChunk(d) || isPassed(d)) {
            return;
        }
        Consumer to = takerOf(d);
        if (to != null) {
            unhold(d);
            deal(to, entries, at, d);
        }
    }

    private void deal(Consumer to, ByteBuf entries, int at, Delivered d) {
        d.owner = to;
        outstanding.add(d);
        bounds.held(to, d.unacked);
        chunks.sent(d, to);
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
            bounds.held(d.owner, -messages);
            if (d.unacked == 0) {
                letGoOf(d);
            }
        } else if (d.unacked == 0) {
            unhold(d);
        }
    }

    @Override
    void pending(Delivered d) {
        redeliveries.pending(d, cursor.ackedBelow());
    }

    @Override
    void abortedAck(long from, long to) {
        redeliveries.givenBack(from, to);
    }

    /** Entries of which a part was acknowledged are taken back; what was acknowledged whole is read again. */
    @Override
    void givenBack(long first) {
        for (Delivered d : new ArrayList<>(outstanding.all())) {
            int left = d.last() < first ? d.unacked : outstanding.unackedOf(d.base, d.offsets);
            if (left > d.unacked) {
                int again = redeliveries.take(d);
                if (d.owner == null) {
                    d.redelivered += again;
                } else {
                    bounds.held(d.owner, left - d.unacked);
                }
                d.unacked = left;
                takeBack(d);
            }
        }
        if (first < readOffset) {
            delays.removeFrom(first);
        }
        readAgainFrom(first);
    }

    @Override
    void cleared(List<Consumer> gone) {
        if (keys != null) {
            gone.forEach(keys::remove);
        }
        forgetHeld();
    }

    private void forgetHeld() {
        bounds.clear();
        delays.clear();
        waiting.clear();
        waitingByHash.clear();
        redeliveries.clear();
        inFlight.clear();
        chunks.clear();
    }

    @Override
    void introduced(Consumer consumer) {
        // no consumer is active alone
    }

    @Override
    String activeName() {
        return "";
    }
}
