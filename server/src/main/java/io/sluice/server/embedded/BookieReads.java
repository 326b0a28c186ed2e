package io.sluice.server.embedded;

import io.netty.buffer.ByteBuf;
import io.sluice.store.wal.bookkeeper.FencedReads;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.apache.bookkeeper.bookie.Bookie;
import org.apache.bookkeeper.bookie.BookieException;
import org.apache.bookkeeper.client.BKException;
import org.apache.bookkeeper.client.api.LedgerEntries;
import org.apache.bookkeeper.client.api.LedgerEntry;
import org.apache.bookkeeper.client.api.ReadHandle;
import org.apache.bookkeeper.client.impl.LedgerEntriesImpl;
import org.apache.bookkeeper.client.impl.LedgerEntryImpl;
import org.apache.bookkeeper.proto.checksum.DigestManager;

/**
 * Entries straight from the bookie in this process. By way of BookKeeper's client each is copied five times, into protobuf
 * and out of it, which was a third of the processor time of a start with a long log and more.
 */
final class BookieReads implements FencedReads {
    private final Bookie bookie;

    BookieReads(Bookie bookie) {
        this.bookie = bookie;
    }

    @Override
    public CompletableFuture<LedgerEntries> read(ReadHandle fenced, byte[] password, long first, long last) {
        var result = new CompletableFuture<LedgerEntries>();
        Thread.ofVirtual().name("bookie-read-" + fenced.getId()).start(() -> {
            try {
                result.complete(entries(fenced.getId(), password, first, last));
            } catch (Throwable e) { // whatever it is, who waits is told
                result.completeExceptionally(e);
            }
        });
        return result;
    }

    private LedgerEntries entries(long ledger, byte[] password, long first, long last) throws BKException {
        DigestManager digests = BookieLedger.digests(ledger, password);
        List<LedgerEntry> entries = new ArrayList<>((int) (last - first + 1));
        boolean all = false;
        try {
            for (long number = first; number <= last; number++) {
                entries.add(entry(digests, ledger, number));
            }
            all = true;
        } finally {
            if (!all) {
                entries.forEach(LedgerEntry::close);
            }
        }
        return LedgerEntriesImpl.create(entries);
    }

    private LedgerEntry entry(DigestManager digests, long ledger, long number) throws BKException {
        ByteBuf stored = stored(ledger, number);
        try {
            int header = stored.readerIndex();
            ByteBuf data = digests.verifyDigestAndReturnData(number, stored);
            long ledgerLength = data.getLong(header + DigestManager.METADATA_LENGTH - Long.BYTES);
            return LedgerEntryImpl.create(ledger, number, ledgerLength, data);
        } catch (BKException | RuntimeException e) {
            stored.release();
            throw e;
        }
    }

    /** With its header and checksum. */
    private ByteBuf stored(long ledger, long number) throws BKException {
        try {
            return bookie.readEntry(ledger, number);
        } catch (Bookie.NoEntryException e) {
            throw failure(BKException.Code.NoSuchEntryException, e);
        } catch (Bookie.NoLedgerException e) {
            throw failure(BKException.Code.NoSuchLedgerExistsException, e);
        } catch (BookieException | IOException e) {
            throw failure(BKException.Code.ReadException, e);
        }
    }

    private static BKException failure(int code, Exception cause) {
        BKException failure = BKException.create(code);
        failure.initCause(cause);
        return failure;
    }
}
