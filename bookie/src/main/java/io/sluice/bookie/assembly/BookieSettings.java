package io.sluice.bookie.assembly;

import java.time.Duration;

/**
 * Settings of a bookie and its journal.
 *
 * @param bookieId name in metadata; stays with the folder for ever
 * @param journalFileBytes size at which a file of the journal is rolled, a multiple of 1 MiB. Beyond what is alive the disk
 *     holds a few such files and what was written within a collection's interval
 * @param retainedBytes journal kept for ledgers that are alive; with more, the oldest of them are copied out of it
 * @param journalQueueBytes appends that may wait for the journal; more than all clients together have in flight
 * @param minFreeBytes below this much free disk no appends are taken; below a quarter of it the bookie takes no writes
 * @param collectInterval how often files are deleted that hold deleted ledgers only
 */
public record BookieSettings(
        String bookieId,
        long journalFileBytes,
        long retainedBytes,
        long journalQueueBytes,
        long minFreeBytes,
        Duration collectInterval) {
    public static final BookieSettings DEFAULT =
            new BookieSettings("standalone", 128L << 20, 1L << 30, 128L << 20, 256L << 20, Duration.ofSeconds(1));

    public BookieSettings {
        if (journalFileBytes < 1 << 20
                || retainedBytes < journalFileBytes
                || journalQueueBytes < 1 << 20
                || minFreeBytes < 0) {
            throw new IllegalArgumentException(
                    "want journalQueueBytes of 1 MiB or more, and no less of journalFileBytes, which retainedBytes holds, not "
                            + journalQueueBytes + ", " + journalFileBytes + " and " + retainedBytes);
        }
    }

    /** The same under another name. */
    public BookieSettings named(String id) {
        return new BookieSettings(
                id, journalFileBytes, retainedBytes, journalQueueBytes, minFreeBytes, collectInterval);
    }
}
