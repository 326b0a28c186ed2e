package io.sluice.store.wal.bookkeeper;

import java.util.Collection;
import java.util.Set;
import org.apache.bookkeeper.client.BookKeeper;
import org.apache.bookkeeper.net.BookieId;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Bookies that have registered and take writes, as BookKeeper's client hears of them. Any thread. */
final class WritableBookies {
    private static final Logger log = LoggerFactory.getLogger(WritableBookies.class);

    private volatile Set<BookieId> now = Set.of();

    private WritableBookies() {}

    /** Empty for ever where the client cannot be told. */
    static WritableBookies of(BookKeeper client) {
        var bookies = new WritableBookies();
        client.getMetadataClientDriver()
                .getRegistrationClient()
                .watchWritableBookies(found -> bookies.take(Set.copyOf(found.getValue())));
        return bookies;
    }

    /** Told one at a time. */
    private void take(Set<BookieId> found) {
        Set<BookieId> before = now;
        now = found;
        if (before.isEmpty()) {
            return;
        }
        for (BookieId each : before) {
            if (!found.contains(each)) {
                log.warn("Bookie {} takes no writes any more; {} do", each, found.size());
            }
        }
        for (BookieId each : found) {
            if (!before.contains(each)) {
                log.info("Bookie {} takes writes; {} do", each, found.size());
            }
        }
    }

    /** Changes, as an object, with every change of the bookies. */
    Set<BookieId> now() {
        return now;
    }

    /**
     * Whether a new ledger would be better placed: one of the bookies takes no writes, or there are more of them than when it was made. A
     * ledger that stays open without one of its bookies is fenced by autorecovery after a while.
     *
     * @param ensemble of a ledger
     * @param wanted bookies of a ledger, if there are so many
     * @param least bookies of a ledger
     */
    static boolean areBetter(Set<BookieId> writable, Collection<BookieId> ensemble, int wanted, int least) {
        boolean allTakeWrites = writable.containsAll(ensemble);
        return writable.size() >= least && (!allTakeWrites || ensemble.size() < Math.min(wanted, writable.size()));
    }
}
