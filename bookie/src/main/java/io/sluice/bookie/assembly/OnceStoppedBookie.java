package io.sluice.bookie.assembly;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.sluice.bookie.journal.DeferredSync;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.UnknownHostException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.IntStream;
import org.apache.bookkeeper.bookie.BookieException;
import org.apache.bookkeeper.bookie.BookieImpl;
import org.apache.bookkeeper.bookie.LedgerDirsManager;
import org.apache.bookkeeper.bookie.LedgerStorage;
import org.apache.bookkeeper.conf.ServerConfiguration;
import org.apache.bookkeeper.discover.BookieServiceInfo;
import org.apache.bookkeeper.discover.BookieServiceInfoUtils;
import org.apache.bookkeeper.discover.RegistrationManager;
import org.apache.bookkeeper.proto.BookkeeperInternalCallbacks.WriteCallback;
import org.apache.bookkeeper.stats.NullStatsLogger;
import org.apache.bookkeeper.util.DiskChecker;
import org.jspecify.annotations.Nullable;

/**
 * A bookie that is shut down once, and in which no write slips by a fence.
 *
 * <ul>
 *   <li>In a plain one the end of the journal's thread, which is part of every shutdown, asks for a second shutdown, which runs
 *       into stopped executors and logs their exceptions.
 *   <li>Where an append and a fence are the first that a ledger sees, each makes a handle of its own there, whose lock is what
 *       keeps them apart: an append could then be acknowledged though the ledger was ended before it.
 *   <li>A read that fences is answered "no such entry" before the fence is in the journal. {@code JournalLedgerStorage} finds an
 *       entry once the journal has written it, so an append on its way would be missed by the recovery that fences, which then
 *       ends the ledger before it, and would be acknowledged after that. So such a read waits for the fence and looks again.
 * </ul>
 */
final class OnceStoppedBookie extends BookieImpl {
    private static final int LOCKS = 64;
    /** Longest wait for a fence, which is one write of the journal: as long as a client waits for a read. */
    private static final int FENCE_SECONDS = 30;

    private final Object[] locks =
            IntStream.range(0, LOCKS).mapToObj(any -> new Object()).toArray();
    /** Fences of ledgers, on their way into the journal. */
    private final ConcurrentHashMap<Long, CompletableFuture<Boolean>> fences = new ConcurrentHashMap<>();

    private final DeferredSync sync;
    private volatile @Nullable Thread stopping;

    OnceStoppedBookie(
            ServerConfiguration conf,
            RegistrationManager registration,
            LedgerStorage storage,
            DiskChecker disk,
            LedgerDirsManager folders,
            DeferredSync sync,
            ByteBufAllocator allocator)
            throws IOException, InterruptedException, BookieException {
        super(
                conf,
                registration,
                storage,
                disk,
                folders,
                folders,
                NullStatsLogger.INSTANCE,
                allocator,
                () -> serviceInfo(conf));
        this.sync = sync;
    }

    /** Clients want an address to resolve before they find that the bookie is in their own process. */
    private static BookieServiceInfo serviceInfo(ServerConfiguration conf) {
        try {
            return BookieServiceInfoUtils.buildLegacyBookieServiceInfo(
                    getBookieAddress(conf).toString());
        } catch (UnknownHostException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void addEntry(ByteBuf entry, boolean ackBeforeSync, WriteCallback to, Object context, byte[] masterKey)
            throws IOException, BookieException, InterruptedException {
        synchronized (lock(entry.getLong(entry.readerIndex()))) {
            super.addEntry(entry, ackBeforeSync, to, context, masterKey);
        }
    }

    @Override
    public CompletableFuture<Boolean> fenceLedger(long ledger, byte[] masterKey) throws IOException, BookieException {
        CompletableFuture<Boolean> fence;
        synchronized (lock(ledger)) {
            // what recovery adds is on the disk before the ledger is ended behind it
            sync.end(ledger);
            fence = super.fenceLedger(ledger, masterKey);
        }
        if (!fence.isDone()) {
            fences.put(ledger, fence);
            fence.whenComplete((done, failure) -> fences.remove(ledger, fence));
        }
        return fence;
    }

    @Override
    public ByteBuf readEntry(long ledger, long entry) throws IOException, NoLedgerException, BookieException {
        CompletableFuture<Boolean> fence = fences.get(ledger);
        try {
            return super.readEntry(ledger, entry);
        } catch (NoEntryException notYet) {
            if (fence == null) {
                throw notYet;
            }
            awaitWritten(fence);
            return super.readEntry(ledger, entry);
        }
    }

    private static void awaitWritten(CompletableFuture<Boolean> fence) throws IOException {
        try {
            fence.get(FENCE_SECONDS, TimeUnit.SECONDS);
        } catch (ExecutionException | TimeoutException e) {
            throw new IOException("the ledger's fence is not in the journal", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while the ledger's fence is written", e);
        }
    }

    private Object lock(long ledger) {
        return locks[(int) (ledger & (LOCKS - 1))];
    }

    /** To any thread but the stopping one the bookie has already stopped. */
    @Override
    public boolean isRunning() {
        Thread by = stopping;
        return super.isRunning() && (by == null || by == Thread.currentThread());
    }

    @Override
    public int shutdown() {
        stopping = Thread.currentThread();
        return super.shutdown();
    }
}
