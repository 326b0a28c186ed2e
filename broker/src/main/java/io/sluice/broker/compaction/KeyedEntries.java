package io.sluice.broker.compaction;

import java.nio.ByteBuffer;

/** Entries of one format as records with keys: the part of compaction that a protocol knows. Keeps no state; any thread. */
public interface KeyedEntries {
    /** See {@link io.sluice.broker.entry.EntryFormat}. */
    byte format();

    /**
     * Tells the records that have a key and count, in the order of their offsets; those of aborted transactions do not.
     *
     * @param entries whole entries, read to their end
     * @return false as soon as {@code keys} takes no more; what comes behind that record was not told
     */
    boolean readKeys(ByteBuffer entries, AbortedData aborted, Keys keys);

    /**
     * Entries without the records that go. An entry keeps its offsets: those of records that are gone are missing in it. An entry of which
     * nothing is left goes, but for {@linkplain Survivors#isLast the last}.
     *
     * @param entries whole entries, read to their end
     * @return whole entries, perhaps none; positioned at the first
     */
    ByteBuffer rewrite(ByteBuffer entries, AbortedData aborted, Survivors survivors);

    /** Receiver of keys. */
    interface Keys {
        /** False if there is no room for it. */
        boolean add(ByteBuffer key, long offset);
    }
}
