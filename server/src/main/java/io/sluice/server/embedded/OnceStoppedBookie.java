package io.sluice.server.embedded;

import io.netty.buffer.ByteBufAllocator;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.UnknownHostException;
import org.apache.bookkeeper.bookie.BookieException;
import org.apache.bookkeeper.bookie.BookieImpl;
import org.apache.bookkeeper.bookie.LedgerDirsManager;
import org.apache.bookkeeper.bookie.LedgerStorage;
import org.apache.bookkeeper.conf.ServerConfiguration;
import org.apache.bookkeeper.discover.BookieServiceInfo;
import org.apache.bookkeeper.discover.BookieServiceInfoUtils;
import org.apache.bookkeeper.discover.RegistrationManager;
import org.apache.bookkeeper.stats.NullStatsLogger;
import org.apache.bookkeeper.util.DiskChecker;
import org.jspecify.annotations.Nullable;

/**
 * A bookie that is shut down once. In a plain one the end of the journal's thread, which is part of every shutdown, asks
 * for a second shutdown, which runs into stopped executors and logs their exceptions.
 */
final class OnceStoppedBookie extends BookieImpl {
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
