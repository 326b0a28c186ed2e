package io.sluice.pulsar.dispatch;

import io.netty.buffer.ByteBuf;
import io.sluice.broker.entry.EntryHeader;

/**
 * Delayed entries as one subscription sees them: it passes over those whose time has not come, and is told by the partition's index when it
 * has. Loop only.
 */
final class SubscriptionDelays {
    private final Subscription subscription;
    private final ChunkedMessages chunks;
    private final DelayIndex index;
    private final DueEntries due = new DueEntries();

    /** @param chunks reads metadata */
    SubscriptionDelays(Subscription subscription, ChunkedMessages chunks) {
        this.subscription = subscription;
        this.chunks = chunks;
        this.index = subscription.context.delayIndex();
    }

    /** Whether it is known what is to be passed over; if not, the subscription is told to read on when it is. */
    boolean isReady() {
        return index.isReady();
    }

    /** Whether messages wait for their time at all: by a policy, which may have changed. */
    private boolean isActive() {
        return subscription
                .context
                .delays()
                .isActive(subscription.context.place().topic());
    }

    /** Offset of the next entry to read: one that was passed over and is due, else the first from the read offset on that is. */
    long next() {
        due.removeWhile((base, offsets) -> subscription.outstanding.startingAt(base) != null
                || subscription.outstanding.unackedOf(base, offsets) == 0);
        long next = due.next();
        if (next >= 0) {
            return next;
        }
        long left = due.takeLeft();
        if (left >= 0) {
            subscription.readAgainFrom(left);
        }
        return passOver();
    }

    /** Moves the read offset past what waits: it counts as read from then on, so that its time brings it back. */
    private long passOver() {
        long at = subscription.cursor.nextFree(subscription.readOffset);
        if (index.isEmpty() || index.after(at) == at || !isActive()) {
            return at;
        }
        for (long next = index.after(at); next != at; next = index.after(at)) {
            at = subscription.cursor.nextFree(next);
            subscription.readOffset = at;
        }
        return at;
    }

    /** The time of an entry has come. */
    void due(long base, int offsets) {
        if (base < subscription.readOffset) {
            due.add(base, offsets);
        }
    }

    /** Whether what follows the entry at {@code offset} is due, too, and better read with it. */
    boolean readsOn(long offset) {
        return due.next() == offset && due.goesOn();
    }

    boolean isDue(long base) {
        return due.next() == base;
    }

    /** It was dealt out. */
    void remove(long base) {
        due.remove(base);
    }

    /** Whether an entry that is due comes soon behind {@code offset}. */
    boolean isAhead(long offset) {
        return due.isAhead(offset);
    }

    /** The log is read again from {@code offset} on. */
    void removeFrom(long offset) {
        due.removeFrom(offset);
    }

    void clear() {
        due.clear();
    }

    /** Messages that were passed over. */
    long messages() {
        return index.count(subscription.cursor.ackedBelow(), subscription.readOffset);
    }

    /** Verdict on an entry that was not met before. */
    enum Met {
        DELIVER,
        PASS_OVER,
        /** Nothing yet: there is no room to remember it. */
        WAIT
    }

    Met meet(ByteBuf entries, int at, long base, int offsets) {
        if (!EntryHeader.isDelayed(entries, at) || !isActive()) {
            return Met.DELIVER;
        }
        if (index.isPending(base)) {
            return Met.PASS_OVER;
        }
        long time = chunks.deliverAt(entries, at);
        if (time <= subscription.now()) {
            return Met.DELIVER;
        }
        return index.met(time, base, offsets) ? Met.PASS_OVER : Met.WAIT;
    }
}
