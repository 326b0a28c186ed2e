package io.sluice.pulsar.dispatch;

import io.netty.buffer.ByteBuf;
import io.sluice.store.segment.StoreFailure;

/**
 * Takes entries from the pump for a subscription: says how much its consumers can take, and passes over offsets that none will
 * get. Loop only.
 */
final class EntryDispatch implements EntryPump.Taker {
    private final Subscription subscription;

    EntryDispatch(Subscription subscription) {
        this.subscription = subscription;
    }

    @Override
    public long wanted() {
        long wanted = subscription.wanted();
        return wanted < 0 || subscription.gate.mayHandOut() ? wanted : -1;
    }

    @Override
    public int readSize(long offset, int averageMessage, int most) {
        if (offset < subscription.readOffset && !subscription.readsOn(offset)) {
            return 0;
        }
        int takers = 0;
        for (Consumer c : subscription.consumers) {
            takers += takes(c) ? 1 : 0;
        }
        int bytes = 0;
        for (Consumer c : subscription.consumers) {
            if (takes(c)) {
                bytes += c.wants(averageMessage, most, takers);
            }
        }
        return Math.max(1, subscription.gate.limit(bytes, averageMessage));
    }

    private boolean takes(Consumer c) {
        return c.permits > 0 && subscription.isServed(c);
    }

    @Override
    public boolean readsCompacted() {
        return subscription.readsCompacted();
    }

    @Override
    public boolean wantsEachAlone() {
        return subscription.handsOutEachAlone();
    }

    @Override
    public void readEnded() {
        for (Consumer c : subscription.consumers) {
            c.sendGathered();
        }
    }

    @Override
    public boolean offer(ByteBuf entries, int at, long base, int offsets) {
        return subscription.gate.isOpen() && subscription.offer(entries, at, base, offsets);
    }

    /** No consumer will ever acknowledge them, and the cursor must not wait for it. */
    @Override
    public void missing(long from, long to) {
        passOver(from, to);
    }

    @Override
    public void leftOut(long from, long to) {
        passOver(from, to);
        subscription.tellOfEnd();
    }

    @Override
    public void control(ByteBuf entries, int at) {
        subscription.context.markers().passed(entries, at);
    }

    /** Reads over them for good, whatever becomes of the cursor, unless something before them is to be read first. */
    private void passOver(long from, long to) {
        boolean inTurn = subscription.cursor.nextFree(subscription.readOffset) >= from;
        subscription.outstanding.passMissing(from, to);
        if (inTurn) {
            subscription.readOffset = Math.max(subscription.readOffset, to);
        }
    }

    /**
     * The protocol has no error for a message that should come next, only for who comes again. That is not done before
     * all is acknowledged that was handed out, which would be handed out again.
     */
    @Override
    public boolean damaged(StoreFailure.Corrupt why) {
        if (subscription.cursor.nextUnacked(subscription.cursor.ackedBelow()) < subscription.readOffset) {
            return false;
        }
        subscription.context.unreadable().damaged(subscription.name(), why);
        subscription.disconnectAll(false);
        return true;
    }

    @Override
    public boolean moved(long start, long end) {
        if (subscription.cursor.ackedBelow() < start) {
            // retention went past the subscription: those messages are gone
            subscription.outstanding.passOver(start);
            subscription.readOffset = Math.max(subscription.readOffset, start);
            return true;
        }
        boolean beyond = subscription.readOffset > end;
        if (beyond) {
            subscription.readOffset = end;
        }
        return beyond;
    }
}
