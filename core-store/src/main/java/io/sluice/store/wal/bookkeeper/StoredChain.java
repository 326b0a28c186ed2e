package io.sluice.store.wal.bookkeeper;

import io.sluice.store.cluster.Metadata;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A container's chain of ledgers as it stands in metadata, to look at.
 *
 * @param term of the last owner
 * @param ledgers oldest first
 */
public record StoredChain(long term, List<Ledger> ledgers) {
    /**
     * @param number in the chain, rising
     * @param id BookKeeper's
     */
    public record Ledger(long number, long id) {}

    /** Null if the container was never opened. */
    public static @Nullable StoredChain read(Metadata metadata, int container) throws IOException {
        Metadata.Versioned stored = metadata.get(ChainRecord.path(container));
        return stored == null ? null : decode(stored.value());
    }

    /** @throws IOException the bytes are not a chain, or one of a newer version */
    public static StoredChain decode(byte[] record) throws IOException {
        LedgerChain chain = LedgerChainCodec.decode(record);
        return new StoredChain(
                chain.term(),
                chain.ledgers().stream()
                        .map(link -> new Ledger(link.number(), link.ledgerId()))
                        .toList());
    }
}
