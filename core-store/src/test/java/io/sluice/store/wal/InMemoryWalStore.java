package io.sluice.store.wal;

import static java.util.Objects.requireNonNull;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Logs in memory, for tests and the simulation. {@link Faults} decides when frames are acknowledged, what fails, and how
 * much of an unacknowledged tail outlives a change of owner. Any thread.
 */
public final class InMemoryWalStore implements WalStore {
    private final Faults faults;
    private final Map<Integer, Log> logs = new HashMap<>();

    /** Acknowledges at once, never fails. */
    public InMemoryWalStore() {
        this(new Faults() {});
    }

    public InMemoryWalStore(Faults faults) {
        this.faults = faults;
    }

    /** What goes wrong, and when. The defaults are a log that is always right, and at once. */
    public interface Faults {
        /** Runs {@code delivery} now or later; each run answers the ledger's oldest unanswered append. */
        default void answer(Runnable delivery) {
            delivery.run();
        }

        /** Why the call is refused, or null; {@code what} is one of open, start, append, truncate. */
        default @Nullable WalException refuse(String what, int container) {
            return null;
        }

        /** How many of a ledger's frames that were never acknowledged are still there when a new owner opens it. */
        default int surviving(int unacknowledged) {
            return 0;
        }
    }

    @Override
    public synchronized Wal open(int container) throws WalException {
        check("open", container);
        Log log = logs.computeIfAbsent(container, id -> new Log());
        log.term++;
        for (Ledger ledger : log.chain.values()) {
            ledger.fence(faults);
        }
        return new OpenLog(container, log);
    }

    /** Ledgers in the container's chain. */
    public synchronized List<Long> chain(int container) {
        return List.copyOf(logs.getOrDefault(container, new Log()).chain.keySet());
    }

    /** Spoils one byte of a stored frame. */
    public synchronized void flip(int container, long ledger, int frame, int at) {
        stored(container, ledger).frames.get(frame)[at] ^= 1;
    }

    /** Drops the last frames of a ledger, as if they had never been acknowledged. */
    public synchronized void cut(int container, long ledger, int frames) {
        Ledger stored = stored(container, ledger);
        stored.keep(stored.frames.size() - frames);
    }

    /** Frames a ledger holds. */
    public synchronized int frames(int container, long ledger) {
        return stored(container, ledger).frames.size();
    }

    @Override
    public void close() {}

    private Ledger stored(int container, long ledger) {
        return requireNonNull(requireNonNull(logs.get(container)).chain.get(ledger));
    }

    private void check(String what, int container) throws WalException {
        WalException refusal = faults.refuse(what, container);
        if (refusal != null) {
            throw refusal;
        }
    }

    private static WalException.Fenced fenced() {
        return new WalException.Fenced("fenced by a later owner", new IOException("fenced"));
    }

    private static final class Log {
        long term;
        long nextLedger = 1;
        final TreeMap<Long, Ledger> chain = new TreeMap<>();
    }

    private static final class Ledger {
        final List<byte[]> frames = new ArrayList<>();
        final ArrayDeque<LedgerWriter.Callback> unanswered = new ArrayDeque<>();
        int acknowledged;
        boolean fenced;

        @Nullable
        WalException failed;

        void fence(Faults faults) {
            if (!fenced) {
                fenced = true;
                keep(acknowledged + faults.surviving(frames.size() - acknowledged));
            }
        }

        void keep(int count) {
            frames.subList(count, frames.size()).clear();
            acknowledged = Math.min(acknowledged, count);
        }
    }

    private final class OpenLog implements Wal {
        private final int container;
        private final Log log;
        private final long term;
        private final List<Long> recovered;
        private boolean closed;

        OpenLog(int container, Log log) {
            this.container = container;
            this.log = log;
            this.term = log.term;
            this.recovered = List.copyOf(log.chain.keySet());
        }

        @Override
        public long term() {
            return term;
        }

        @Override
        public List<Long> recovered() {
            return recovered;
        }

        @Override
        public void replay(long ledger, FrameReader reader) throws WalException {
            List<byte[]> frames;
            synchronized (InMemoryWalStore.this) {
                Ledger stored = log.chain.get(ledger);
                if (stored == null) {
                    throw fenced();
                }
                frames = List.copyOf(stored.frames);
            }
            for (byte[] frame : frames) {
                reader.frame(Unpooled.wrappedBuffer(frame));
            }
        }

        @Override
        public LedgerWriter startLedger() throws WalException {
            synchronized (InMemoryWalStore.this) {
                check("start", container);
                checkOwned();
                long number = log.nextLedger++;
                Ledger ledger = new Ledger();
                log.chain.put(number, ledger);
                return new Writer(this, number, ledger);
            }
        }

        @Override
        public void truncate(long firstRetained) throws WalException {
            synchronized (InMemoryWalStore.this) {
                check("truncate", container);
                checkOwned();
                log.chain.headMap(firstRetained).clear();
            }
        }

        private void checkOwned() throws WalException {
            if (log.term != term) {
                throw fenced();
            }
            if (closed) {
                throw new WalException.Unavailable("closed", new IOException("closed"));
            }
        }

        @Override
        public void close() {
            synchronized (InMemoryWalStore.this) {
                closed = true;
            }
        }
    }

    private final class Writer implements LedgerWriter {
        private final OpenLog owner;
        private final long number;
        private final Ledger ledger;

        Writer(OpenLog owner, long number, Ledger ledger) {
            this.owner = owner;
            this.number = number;
            this.ledger = ledger;
        }

        @Override
        public long ledger() {
            return number;
        }

        @Override
        public void append(ByteBuf frame, Callback callback) {
            synchronized (InMemoryWalStore.this) {
                if (!ledger.fenced && ledger.failed == null) {
                    ledger.failed = faults.refuse("append", owner.container);
                }
                if (!ledger.fenced && ledger.failed == null && !owner.closed) {
                    ledger.frames.add(ByteBufUtil.getBytes(frame));
                }
                ledger.unanswered.add(callback);
            }
            faults.answer(this::answerOldest);
        }

        private void answerOldest() {
            Callback callback;
            WalException why;
            synchronized (InMemoryWalStore.this) {
                callback = ledger.unanswered.remove();
                why = failure();
                if (why == null) {
                    ledger.acknowledged++;
                }
            }
            if (why == null) {
                callback.durable();
            } else {
                callback.failed(why);
            }
        }

        private @Nullable WalException failure() {
            if (ledger.fenced) {
                return fenced();
            }
            return owner.closed ? new WalException.Unavailable("closed", new IOException("closed")) : ledger.failed;
        }

        @Override
        public void close() {}
    }
}
