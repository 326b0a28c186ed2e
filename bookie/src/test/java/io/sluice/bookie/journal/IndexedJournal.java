package io.sluice.bookie.journal;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.PooledByteBufAllocator;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A journal's entries as the bookie would find them. */
public final class IndexedJournal implements AutoCloseable {
    private final EntryIndex index;

    public IndexedJournal(Path journal) throws IOException {
        index = new EntryIndex(
                List.of(journal), new FoundRecords(), (file, ledger, entry, lastConfirmed, at, length) -> true);
        index.scanJournals();
    }

    /** What a client gets, with the digest in front of it; null if it is not there. */
    public byte @Nullable [] entry(long ledger, long entry) throws IOException {
        List<StoredRecord> found = index.locate(ledger, entry, entry);
        if (found.isEmpty()) {
            return null;
        }
        ByteBuf read = StoredRecord.read(found, PooledByteBufAllocator.DEFAULT).getFirst();
        try {
            return ByteBufUtil.getBytes(read);
        } finally {
            read.release();
        }
    }

    @Override
    public void close() throws IOException {
        index.close();
    }
}
