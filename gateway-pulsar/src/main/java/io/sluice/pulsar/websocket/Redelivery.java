package io.sluice.pulsar.websocket;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Future;
import java.util.function.BiConsumer;
import java.util.function.LongSupplier;
import org.apache.pulsar.common.api.proto.MessageIdData;
import org.jspecify.annotations.Nullable;

/**
 * Entries that a consumer gets again: some time after it has refused them, and where it has an acknowledgement timeout, that long after they were
 * delivered. By whole entries, of which what is acknowledged does not come again. One thread.
 */
final class Redelivery {
    /** Entries that are kept in mind; with more, the oldest come again at once. */
    private static final int MOST = 50_000;
    /** Between two looks, in milliseconds. */
    private static final long PAUSE = 100;

    /** Runs a task later. */
    interface Timer {
        Future<?> schedule(Runnable task, long millis);
    }

    private record Entry(long consumer, long ledger, long entry) {}

    private record Waiting(long due, BitSet unacknowledged) {}

    private final long ackTimeout;
    private final long delay;
    private final LongSupplier clock;
    private final Timer timer;
    private final BiConsumer<Long, List<MessageIdData>> redeliver;
    private final Map<Entry, Waiting> delivered = new LinkedHashMap<>();
    private final Map<Entry, Long> refused = new LinkedHashMap<>();
    private @Nullable Future<?> looking;

    /**
     * @param ackTimeout in milliseconds; 0 for none
     * @param delay in milliseconds
     * @param clock in milliseconds
     * @param redeliver gets a consumer and entries
     */
    Redelivery(
            long ackTimeout,
            long delay,
            LongSupplier clock,
            Timer timer,
            BiConsumer<Long, List<MessageIdData>> redeliver) {
        this.ackTimeout = ackTimeout;
        this.delay = delay;
        this.clock = clock;
        this.timer = timer;
        this.redeliver = redeliver;
    }

    void delivered(long consumer, long ledger, long entry, int messages) {
        if (ackTimeout == 0) {
            return;
        }
        BitSet all = new BitSet(messages);
        all.set(0, messages);
        Entry key = new Entry(consumer, ledger, entry);
        delivered.remove(key);
        delivered.put(key, new Waiting(clock.getAsLong() + ackTimeout, all));
        bound(delivered.keySet().iterator(), delivered.size());
        look();
    }

    /** @param index of the message in its batch; -1 for one that is in none */
    void acknowledged(long consumer, long ledger, long entry, int index) {
        Entry key = new Entry(consumer, ledger, entry);
        Waiting waiting = delivered.get(key);
        if (waiting != null) {
            waiting.unacknowledged.clear(Math.max(0, index));
            if (waiting.unacknowledged.isEmpty()) {
                delivered.remove(key);
            }
        }
    }

    void refused(long consumer, long ledger, long entry) {
        Entry key = new Entry(consumer, ledger, entry);
        delivered.remove(key);
        refused.putIfAbsent(key, clock.getAsLong() + delay);
        bound(refused.keySet().iterator(), refused.size());
        look();
    }

    private void bound(Iterator<Entry> oldest, int size) {
        if (size > MOST) {
            Entry first = oldest.next();
            oldest.remove();
            redeliver(Map.of(first.consumer, List.of(id(first))));
        }
    }

    private void look() {
        if (looking == null && !(delivered.isEmpty() && refused.isEmpty())) {
            looking = timer.schedule(this::redeliverDue, PAUSE);
        }
    }

    private void redeliverDue() {
        looking = null;
        long now = clock.getAsLong();
        Map<Long, List<MessageIdData>> due = new HashMap<>();
        // both are in the order in which they are due
        for (var each = refused.entrySet().iterator(); each.hasNext(); ) {
            Map.Entry<Entry, Long> next = each.next();
            if (next.getValue() > now) {
                break;
            }
            add(due, next.getKey());
            each.remove();
        }
        for (var each = delivered.entrySet().iterator(); each.hasNext(); ) {
            Map.Entry<Entry, Waiting> next = each.next();
            if (next.getValue().due > now) {
                break;
            }
            add(due, next.getKey());
            each.remove();
        }
        redeliver(due);
        look();
    }

    private static void add(Map<Long, List<MessageIdData>> due, Entry entry) {
        due.computeIfAbsent(entry.consumer, _ -> new ArrayList<>()).add(id(entry));
    }

    private static MessageIdData id(Entry entry) {
        return new MessageIdData().setLedgerId(entry.ledger).setEntryId(entry.entry);
    }

    private void redeliver(Map<Long, List<MessageIdData>> due) {
        due.forEach(redeliver);
    }

    void stop() {
        if (looking != null) {
            looking.cancel(false);
            looking = null;
        }
        delivered.clear();
        refused.clear();
    }
}
