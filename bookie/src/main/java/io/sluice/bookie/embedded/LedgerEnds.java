package io.sluice.bookie.embedded;

import io.sluice.bookie.journal.JournalCheck;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.bookkeeper.client.BKException;
import org.apache.bookkeeper.client.api.LedgerMetadata;
import org.apache.bookkeeper.meta.LedgerManager;
import org.jspecify.annotations.Nullable;

/** Ledgers' states in the metadata; read once for each ledger. */
final class LedgerEnds implements JournalCheck.Ledgers {
    private static final int SECONDS = 30;

    private final LedgerManager ledgers;
    private final Map<Long, Optional<Long>> known = new HashMap<>();

    /** @param ledgers belongs to the caller */
    LedgerEnds(LedgerManager ledgers) {
        this.ledgers = ledgers;
    }

    @Override
    public @Nullable Long end(long ledger) throws IOException {
        Optional<Long> end = known.get(ledger);
        if (end == null) {
            end = read(ledger);
            known.put(ledger, end);
        }
        return end.orElse(null);
    }

    private Optional<Long> read(long ledger) throws IOException {
        try {
            LedgerMetadata metadata = ledgers.readLedgerMetadata(ledger)
                    .get(SECONDS, TimeUnit.SECONDS)
                    .getValue();
            return Optional.of(metadata.isClosed() ? metadata.getLastEntryId() : OPEN);
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
