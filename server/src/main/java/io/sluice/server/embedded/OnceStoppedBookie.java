package io.sluice.server.embedded;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.UnknownHostException;
import java.util.concurrent.CompletableFuture;
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
 * A bookie that is shut down once, and in which nobody slips by a fence. In a plain one the end of the journal's thread, which is part of every shutdown, asks
 * for a second shutdown, which runs into stopped executors and logs their exceptions. And where an append and a fence are
 * the first that a ledger sees, each makes a handle of its own there, whose lock is what keeps them apart: an append could
 * then be acknowledged though the ledger was ended before it.
 */
final class OnceStoppedBookie extends BookieImpl {
    private static final int LOCKS = 64;

    private final Object[] locks =
            IntStream.range(0, LOCKS).mapToObj(any -> new Object()).toArray();
    private volatile @Nullable Thread stopping;

    OnceStoppedBookie(
            ServerConfiguration conf,
            RegistrationManager registration,
            LedgerStorage storage,
            DiskChecker disk,
            LedgerDirsManager folders,
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
        synchronized (lock(ledger)) {
            return super.fenceLedger(ledger, masterKey);
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
