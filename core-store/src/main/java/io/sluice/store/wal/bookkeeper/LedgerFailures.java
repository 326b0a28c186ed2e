package io.sluice.store.wal.bookkeeper;

import io.sluice.store.wal.WalException;
import java.util.concurrent.CompletionException;
import org.apache.bookkeeper.client.BKException;

/** BookKeeper's result codes in the words of the log's port. */
final class LedgerFailures {
    private LedgerFailures() {}

    static WalException of(String what, BKException e) {
        return of(what, e.getCode(), e);
    }

    /** Maps the failure of a BookKeeper future. */
    static WalException of(String what, Throwable failed) {
        Throwable cause =
                failed instanceof CompletionException && failed.getCause() != null ? failed.getCause() : failed;
        return cause instanceof BKException bookkeeper
                ? of(what, bookkeeper)
                : new WalException.Unavailable(what + ": " + cause.getMessage(), cause);
    }

    static WalException of(String what, int code) {
        return of(what, code, BKException.create(code));
    }

    private static WalException of(String what, int code, Throwable cause) {
        String message = what + ": " + BKException.getMessage(code);
        return switch (code) {
            // A metadata conflict: another client has closed the ledger, which only a recovering owner does.
            case BKException.Code.LedgerFencedException, BKException.Code.MetadataVersionException ->
                new WalException.Fenced(message, cause);
            case BKException.Code.DigestMatchException,
                    BKException.Code.NoSuchLedgerExistsException,
                    BKException.Code.NoSuchLedgerExistsOnMetadataServerException,
                    BKException.Code.NoSuchEntryException,
                    BKException.Code.UnauthorizedAccessException -> new WalException.Corrupt(message, cause);
            default -> new WalException.Unavailable(message, cause);
        };
    }
}
