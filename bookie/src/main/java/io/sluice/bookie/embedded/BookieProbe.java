package io.sluice.bookie.embedded;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.sluice.bookie.journal.JournalLedgerStorage;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.apache.bookkeeper.bookie.BookieImpl;
import org.apache.bookkeeper.bookie.Journal;
import org.apache.bookkeeper.client.BKException;
import org.apache.bookkeeper.proto.BookieServer;
import org.apache.bookkeeper.proto.checksum.DigestManager;
import org.apache.bookkeeper.util.ByteBufList;
import org.jspecify.annotations.Nullable;

/**
 * Writes a small entry to the journal of this process' bookie. It is not read back: to find an entry, the bookie reads all that was
 * written before it. The entry's ledger is in no metadata, so that a start takes it for a deleted one's. For one thread at a time.
 */
final class BookieProbe {
    /** No ledger gets that far: they are numbered from 0. */
    private static final long LEDGER = Long.MAX_VALUE - 1;

    private final BookieServer server;
    private final JournalLedgerStorage storage;
    private final DigestManager digests = BookieLedger.digests(LEDGER, new byte[0]);
    private long next;

    BookieProbe(BookieServer server, JournalLedgerStorage storage) {
        this.server = server;
        this.storage = storage;
    }

    /**
     * Blocks until the entry is durable.
     *
     * @return null if the bookie is well, else what is wrong, in one line
     */
    @Nullable
    String run() throws InterruptedException {
        if (!server.isRunning() || !(server.getBookie() instanceof BookieImpl bookie)) {
            return "the bookie has stopped, the log says why";
        }
        if (bookie.isReadOnly()) {
            return "the bookie takes no writes, its disk is full";
        }
        try {
            write(bookie.getJournals().getFirst()).get();
            return null;
        } catch (ExecutionException e) {
            Throwable cause = e.getCause();
            return "the bookie fails writes: " + (cause == null ? e : cause).getMessage();
        }
    }

    private CompletableFuture<Void> write(Journal journal) throws InterruptedException {
        var durable = new CompletableFuture<Void>();
        ByteBuf entry = entry(next);
        try {
            storage.journaled(entry.readableBytes());
            journal.logAddEntry(
                    LEDGER,
                    next,
                    entry,
                    false,
                    (code, ledger, written, address, context) -> {
                        if (code == BKException.Code.OK) {
                            durable.complete(null);
                        } else {
                            durable.completeExceptionally(BKException.create(code));
                        }
                    },
                    null);
        } finally {
            entry.release(); // the journal has its own hold
        }
        next++;
        return durable;
    }

    private ByteBuf entry(long number) {
        ByteBuf content = Unpooled.directBuffer(Long.BYTES).writeLong(number);
        ByteBufList packed = (ByteBufList) digests.computeDigestAndPackageForSending(
                number, number - 1, (number + 1) * Long.BYTES, content, new byte[20], 0);
        try {
            return Unpooled.wrappedBuffer(
                    packed.getBuffer(0).retain(), packed.getBuffer(1).retain());
        } finally {
            packed.release();
        }
    }
}
