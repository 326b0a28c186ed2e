package io.sluice.bookie.embedded;

import io.netty.buffer.ByteBuf;
import io.sluice.bookie.journal.JournalLedgerStorage;
import io.sluice.store.wal.bookkeeper.FencedReads;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.apache.bookkeeper.bookie.Bookie;
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
    private final JournalLedgerStorage storage;

    BookieReads(JournalLedgerStorage storage) {
        this.storage = storage;
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
        List<ByteBuf> stored = stored(ledger, first, last);
        List<LedgerEntry> entries = new ArrayList<>(stored.size());
        try {
            for (ByteBuf each : stored) {
                entries.add(entry(digests, ledger, first + entries.size(), each));
            }
        } catch (BKException | RuntimeException e) {
            stored.forEach(ByteBuf::release);
            throw e;
        }
        return LedgerEntriesImpl.create(entries);
    }

    private static LedgerEntry entry(DigestManager digests, long ledger, long number, ByteBuf stored)
            throws BKException {
        int header = stored.readerIndex();
        ByteBuf data = digests.verifyDigestAndReturnData(number, stored);
        long ledgerLength = data.getLong(header + DigestManager.METADATA_LENGTH - Long.BYTES);
        return LedgerEntryImpl.create(ledger, number, ledgerLength, data);
    }

    /** With their headers and checksums. */
    private List<ByteBuf> stored(long ledger, long first, long last) throws BKException {
        try {
            return storage.entries(ledger, first, last);
        } catch (Bookie.NoEntryException e) {
            throw failure(BKException.Code.NoSuchEntryException, e);
        } catch (Bookie.NoLedgerException e) {
            throw failure(BKException.Code.NoSuchLedgerExistsException, e);
        } catch (IOException e) {
            throw failure(BKException.Code.ReadException, e);
        }
    }

    private static BKException failure(int code, Exception cause) {
        BKException failure = BKException.create(code);
        failure.initCause(cause);
        return failure;
    }
}
