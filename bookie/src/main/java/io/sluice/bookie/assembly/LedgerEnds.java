package io.sluice.bookie.assembly;

import io.sluice.bookie.journal.JournalCheck;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.bookkeeper.client.BKException;
import org.apache.bookkeeper.client.api.DigestType;
import org.apache.bookkeeper.client.api.LedgerMetadata;
import org.apache.bookkeeper.meta.LedgerManager;
import org.jspecify.annotations.Nullable;

/** Ledgers' states in the metadata; read once for each ledger. */
public final class LedgerEnds implements JournalCheck.Ledgers {
    private static final int SECONDS = 30;

    private final LedgerManager ledgers;
    private final Map<Long, Optional<LedgerMetadata>> known = new HashMap<>();

    /** @param ledgers belongs to the caller */
    public LedgerEnds(LedgerManager ledgers) {
        this.ledgers = ledgers;
    }

    @Override
    public @Nullable Long end(long ledger) throws IOException {
        LedgerMetadata metadata = metadata(ledger);
        if (metadata == null) {
            return null;
        }
        return metadata.isClosed() ? metadata.getLastEntryId() : OPEN;
    }

    /** A ledger of one bookie that was never replaced by another; of every other this bookie may lack entries that another has. */
    @Override
    public boolean isComplete(long ledger) throws IOException {
        LedgerMetadata metadata = metadata(ledger);
        return metadata != null
                && metadata.getEnsembleSize() == 1
                && metadata.getAllEnsembles().size() == 1;
    }

    @Override
    public boolean hasChecksums(long ledger) throws IOException {
        LedgerMetadata metadata = metadata(ledger);
        return metadata != null && metadata.getDigestType() == DigestType.CRC32C;
    }

    private @Nullable LedgerMetadata metadata(long ledger) throws IOException {
        Optional<LedgerMetadata> metadata = known.get(ledger);
        if (metadata == null) {
            metadata = read(ledger);
            known.put(ledger, metadata);
        }
        return metadata.orElse(null);
    }

    private Optional<LedgerMetadata> read(long ledger) throws IOException {
        try {
            return Optional.of(ledgers.readLedgerMetadata(ledger)
                    .get(SECONDS, TimeUnit.SECONDS)
                    .getValue());
        } catch (ExecutionException e) {
            if (e.getCause() instanceof BKException.BKNoSuchLedgerExistsOnMetadataServerException) {
                return Optional.empty();
            }
            throw new IOException("the metadata of ledger " + ledger + " cannot be read: " + e.getCause(), e);
        } catch (TimeoutException e) {
            throw new IOException("the metadata of ledger " + ledger + " is not there within " + SECONDS + " s", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while reading the metadata of ledger " + ledger, e);
        }
    }
}
