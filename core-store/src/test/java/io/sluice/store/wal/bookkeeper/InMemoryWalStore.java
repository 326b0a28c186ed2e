package io.sluice.store.wal.bookkeeper;

import static java.util.Objects.requireNonNull;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.sluice.store.cluster.InMemoryMetadata;
import io.sluice.store.cluster.Metadata;
import io.sluice.store.wal.Durability;
import io.sluice.store.wal.FrameReader;
import io.sluice.store.wal.LedgerWriter;
import io.sluice.store.wal.Wal;
import io.sluice.store.wal.WalException;
import io.sluice.store.wal.WalStore;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Logs for tests and the simulation: ledgers in memory, and the chain of BookKeeper's log over any metadata. {@link Faults} decides
 * when frames are acknowledged, what fails, and how much of an unacknowledged tail outlives a change of owner. Any thread.
 */
public final class InMemoryWalStore implements WalStore {
    private final Faults faults;
    private final Metadata metadata;
    private final TakeOver takeOver;
    private final Map<Long, InMemoryLedger> ledgers = new TreeMap<>();
    private long nextId = 1;
    private long opened;

    private interface TakeOver {
        TermChain chain(Metadata metadata, int container, String owner, Lock lock) throws WalException;
    }

    /** Acknowledges at once, never fails. */
    public InMemoryWalStore() {
        this(new Faults() {});
    }

    public InMemoryWalStore(Faults faults) {
        this(faults, new InMemoryMetadata());
    }

    public InMemoryWalStore(Faults faults, Metadata metadata) {
        this(faults, metadata, ChainRecord::takeOver);
    }

    private InMemoryWalStore(Faults faults, Metadata metadata, TakeOver takeOver) {
        this.faults = faults;
        this.metadata = metadata;
        this.takeOver = takeOver;
    }

    /** One with the mistake of {@link ChainRecordWithoutReadBack}. */
    public static InMemoryWalStore withoutReadBack(Faults faults, Metadata metadata) {
        return new InMemoryWalStore(faults, metadata, ChainRecordWithoutReadBack::takeOver);
    }

    /** What goes wrong, and when. The defaults are a log that is always right, and at once. */
    public interface Faults {
        /** Runs {@code delivery} now or later, or never; each run answers the ledger's oldest unanswered append. */
        default void answer(Runnable delivery) {
            delivery.run();
        }

        /** Why the call is refused, or null; {@code what} is one of open, start, append, truncate, delete. */
        default @Nullable WalException refuse(String what, int container) {
            return null;
        }

        /** Makes a call to the ledgers, which blocks: now or later, and the reply may get lost. */
        default <T> T call(String what, Call<T> call) throws WalException {
            return call.make();
        }

        /** Makes a call that does not block. */
        default CompletableFuture<Void> start(String what, Runnable call) {
            call.run();
            return CompletableFuture.completedFuture(null);
        }

        /** The calling task waits for {@code result} as long as a client of the ledgers does. */
        default void await(CompletableFuture<?> result) {}

        /** For a chain's changes. */
        default Lock lock() {
            return new ReentrantLock();
        }

        /** How many of a ledger's frames that were never acknowledged are still there when a new owner opens it. */
        default int surviving(int unacknowledged) {
            return 0;
        }

        /** Whether the ledgers' machines have crashed since, so that of acknowledged frames only those are safe that were forced. */
        default boolean crashed() {
            return false;
        }

        /** Whether a new ledger would be better placed than this one. */
        default boolean worn(long ledger) {
            return false;
        }

        /** Whether a force does what it says. */
        default boolean forces() {
            return true;
        }

        /** Whether a new owner keeps earlier ones from writing: the point of a log, but for a test of its tests. */
        default boolean fences() {
            return true;
        }
    }

    /** A call to the ledgers. */
    public interface Call<T> {
        T make() throws WalException;
    }

    @Override
    public Wal open(int container, Durability durability) throws WalException {
        check("open", container);
        long number;
        synchronized (this) {
            number = ++opened;
        }
        TermChain chain = takeOver.chain(metadata, container, "memory#" + number, faults.lock());
        Map<Long, InMemoryLedger> recovered = new TreeMap<>();
        for (LedgerChain.Link link : chain.chain().ledgers()) {
            recovered.put(link.number(), faults.call("fence", () -> fence(link)));
        }
        OpenLog log = new OpenLog(container, durability, chain, recovered);
        log.chained.deleteDoomed();
        return log;
    }

    @Override
    public void delete(int container) throws WalException {
        check("delete", container);
        if (!ChainRecord.exists(metadata, container)) {
            return;
        }
        try (Wal wal = open(container)) {
            wal.truncate(Long.MAX_VALUE);
        }
        ChainRecord.takeOver(metadata, container, "memory", faults.lock()).delete();
    }

    private synchronized InMemoryLedger fence(LedgerChain.Link link) throws WalException {
        InMemoryLedger ledger = ledgers.get(link.ledgerId());
        if (ledger == null) {
            throw new WalException.Corrupt("ledger " + link.number() + " is gone", null);
        }
        if (faults.fences()) {
            ledger.fence(faults);
        }
        return ledger;
    }

    private void check(String what, int container) throws WalException {
        WalException refusal = faults.refuse(what, container);
        if (refusal != null) {
            throw refusal;
        }
    }

    // ---- what tests look at ----

    /** Ledgers in the container's chain. */
    public List<Long> chain(int container) {
        return stored(container).ledgers().stream()
                .map(LedgerChain.Link::number)
                .toList();
    }

    /** Ledgers in the chain that {@code truth} has, and that do not exist. */
    public synchronized List<Long> missing(int container, Metadata truth) {
        return stored(truth, container).ledgers().stream()
                .filter(link -> !ledgers.containsKey(link.ledgerId()))
                .map(LedgerChain.Link::number)
                .toList();
    }

    /** Spoils one byte of a stored frame. */
    public synchronized void flip(int container, long number, int frame, int at) {
        ledger(container, number).frames.get(frame)[at] ^= 1;
    }

    /** Drops the last frames of a ledger, as if they had never been acknowledged. */
    public synchronized void cut(int container, long number, int frames) {
        InMemoryLedger stored = ledger(container, number);
        stored.keep(stored.frames.size() - frames);
    }

    /** What a crash of the ledgers' machines leaves of each ledger in the chain that {@code truth} has, if its sync is deferred. */
    public synchronized List<List<byte[]>> forced(int container, Metadata truth) {
        List<List<byte[]>> left = new ArrayList<>();
        for (LedgerChain.Link link : stored(truth, container).ledgers()) {
            InMemoryLedger ledger = ledgers.get(link.ledgerId());
            if (ledger != null) {
                left.add(List.copyOf(ledger.frames.subList(0, Math.min(ledger.forced, ledger.frames.size()))));
            }
        }
        return left;
    }

    /** Frames a ledger holds. */
    public synchronized int frames(int container, long number) {
        return ledger(container, number).frames.size();
    }

    private InMemoryLedger ledger(int container, long number) {
        for (LedgerChain.Link link : stored(container).ledgers()) {
            if (link.number() == number) {
                return requireNonNull(ledgers.get(link.ledgerId()));
            }
        }
        throw new IllegalArgumentException("no ledger " + number);
    }

    private LedgerChain stored(int container) {
        return stored(metadata, container);
    }

    private static LedgerChain stored(Metadata metadata, int container) {
        try {
            Metadata.Versioned stored = metadata.get(ChainRecord.path(container));
            return stored == null ? LedgerChain.EMPTY : LedgerChainCodec.decode(stored.value());
        } catch (IOException e) {
            throw new AssertionError("metadata cannot be read", e);
        }
    }

    @Override
    public void close() {}

    private final class OpenLog implements Wal, ChainedLedgers.Ledgers<InMemoryLedger> {
        private final int container;
        private final Durability durability;
        private final TermChain chain;
        private final ChainedLedgers<InMemoryLedger> chained;
        private final Map<Long, InMemoryLedger> recovered;
        /** Those that closing makes safe. */
        private final List<InMemoryLedger> started = new ArrayList<>();

        private boolean closed;

        OpenLog(int container, Durability durability, TermChain chain, Map<Long, InMemoryLedger> recovered) {
            this.container = container;
            this.durability = durability;
            this.chain = chain;
            this.chained = new ChainedLedgers<>(container, chain, this);
            this.recovered = recovered;
        }

        @Override
        public long term() {
            return chain.chain().term();
        }

        @Override
        public List<Long> recovered() {
            return List.copyOf(recovered.keySet());
        }

        @Override
        public void replay(long number, FrameReader reader) throws WalException {
            InMemoryLedger ledger = requireNonNull(recovered.get(number));
            List<byte[]> frames = faults.call("read", () -> {
                synchronized (InMemoryWalStore.this) {
                    if (!ledgers.containsKey(ledger.id)) {
                        throw InMemoryLedger.fenced();
                    }
                    return List.copyOf(ledger.frames);
                }
            });
            for (byte[] frame : frames) {
                reader.frame(Unpooled.wrappedBuffer(frame));
            }
        }

        @Override
        public LedgerWriter startLedger() throws WalException {
            checkOpen("start");
            ChainedLedgers.Added<InMemoryLedger> added = chained.add();
            if (durability.defersSync()) {
                synchronized (InMemoryWalStore.this) {
                    started.add(added.ledger());
                }
            }
            return new Writer(this, added.number(), added.ledger());
        }

        @Override
        public void truncate(long firstRetained) throws WalException {
            checkOpen("truncate");
            chained.drop(firstRetained);
            chained.deleteDropped();
        }

        private void checkOpen(String what) throws WalException {
            check(what, container);
            if (closed) {
                throw InMemoryLedger.closed();
            }
        }

        @Override
        public void close() {
            synchronized (InMemoryWalStore.this) {
                if (!closed) {
                    started.forEach(InMemoryLedger::forceAll);
                }
                closed = true;
            }
        }

        // ---- ledgers ----

        @Override
        public InMemoryLedger create(long term) throws WalException {
            return faults.call("create", () -> {
                synchronized (InMemoryWalStore.this) {
                    InMemoryLedger created = new InMemoryLedger(nextId++, durability.defersSync());
                    ledgers.put(created.id, created);
                    return created;
                }
            });
        }

        @Override
        public long id(InMemoryLedger ledger) {
            return ledger.id;
        }

        @Override
        public CompletableFuture<Void> delete(long id) {
            return faults.start("delete", () -> {
                synchronized (InMemoryWalStore.this) {
                    ledgers.remove(id);
                }
            });
        }

        @Override
        public void await(String what, CompletableFuture<Void> deletes) throws WalException {
            faults.await(deletes);
            if (!deletes.isDone()) {
                throw new WalException.Unavailable(what + ": no answer", null);
            }
        }
    }

    private final class Writer implements LedgerWriter {
        private final OpenLog owner;
        private final long number;
        private final InMemoryLedger ledger;

        Writer(OpenLog owner, long number, InMemoryLedger ledger) {
            this.owner = owner;
            this.number = number;
            this.ledger = ledger;
        }

        @Override
        public long ledger() {
            return number;
        }

        @Override
        public boolean isToBeReplaced() {
            return faults.worn(number);
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

        @Override
        public void force(Callback callback) {
            if (!ledger.deferred) {
                callback.durable();
                return;
            }
            int upTo;
            synchronized (InMemoryWalStore.this) {
                upTo = ledger.acknowledged;
            }
            faults.answer(() -> {
                WalException why;
                synchronized (InMemoryWalStore.this) {
                    why = failure();
                    if (why == null && faults.forces()) {
                        ledger.forced = Math.max(ledger.forced, upTo);
                    }
                }
                if (why == null) {
                    callback.durable();
                } else {
                    callback.failed(why);
                }
            });
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
            if (ledger.fenced || !ledgers.containsKey(ledger.id)) {
                return InMemoryLedger.fenced();
            }
            return owner.closed ? InMemoryLedger.closed() : ledger.failed;
        }

        @Override
        public void close() {
            synchronized (InMemoryWalStore.this) {
                ledger.forceAll();
            }
        }
    }
}
