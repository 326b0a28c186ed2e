package io.sluice.bookie.journal;

import io.netty.buffer.ByteBuf;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/**
 * Reads ahead for clients that ask for a ledger's entries one after the other, as recoveries do. Each read from the disk is one past the page
 * cache, so that a log of small frames would take one for each of them.
 *
 * <p>The second of two entries that follow each other brings those behind it, as far as they lie close; they are handed over once and then
 * gone. Any thread.
 */
final class ReadAhead implements AutoCloseable {
    /** Ledgers that are read at the same time; of others the one that was read longest ago starts anew. */
    private static final int LEDGERS = 16;

    private final Source source;
    private final Map<Long, Window> windows = new LinkedHashMap<>();
    private boolean closed;

    /** The disk. */
    interface Source {
        /**
         * Reads an entry and some that follow it.
         *
         * @param alone no others
         * @return one entry or more, in order, which the caller releases
         */
        List<ByteBuf> read(long ledger, long first, boolean alone) throws IOException;
    }

    /**
     * Entries that were read and not asked for yet.
     *
     * @param next number of the first of them, or of the one to be read next if there is none
     */
    private record Window(long next, Queue<ByteBuf> entries) {
        void release() {
            entries.forEach(ByteBuf::release);
        }
    }

    ReadAhead(Source source) {
        this.source = source;
    }

    /** The caller releases it. */
    ByteBuf read(long ledger, long number) throws IOException {
        Window window = take(ledger);
        if (window != null && window.next != number) {
            window.release();
            window = null;
        }
        Queue<ByteBuf> entries = window == null || window.entries.isEmpty()
                ? new ArrayDeque<>(source.read(ledger, number, window == null))
                : window.entries;
        ByteBuf entry = entries.remove();
        put(ledger, new Window(number + 1, entries));
        return entry;
    }

    private synchronized @Nullable Window take(long ledger) {
        return windows.remove(ledger);
    }

    private synchronized void put(long ledger, Window window) {
        if (closed) {
            window.release();
            return;
        }
        Window another = windows.put(ledger, window);
        if (another != null) {
            another.release();
        }
        if (windows.size() > LEDGERS) {
            forget(windows.keySet().iterator().next());
        }
    }

    /** The ledger is deleted. */
    synchronized void forget(long ledger) {
        Window window = windows.remove(ledger);
        if (window != null) {
            window.release();
        }
    }

    @Override
    public synchronized void close() {
        closed = true;
        windows.values().forEach(Window::release);
        windows.clear();
    }
}
