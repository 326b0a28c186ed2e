package io.sluice.conversion;

import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/** Port: the entries of a partition that lie before the one that is converted, for messages in several entries. Blocks; not on a loop. */
public interface EarlierEntries {
    /**
     * Some entries.
     *
     * @param bytes whole ones, on the heap, not to be released
     * @param next offset to read on at
     * @param start first offset of the partition
     */
    record Run(ByteBuf bytes, long next, long start) {}

    /**
     * Entries from the one that has {@code offset} on, or from the first there is behind it, also of other protocols.
     *
     * @param maxBytes one entry may have more
     * @return null if there are none
     * @throws UnavailableException the partition has gone to another owner, or does not answer
     */
    @Nullable
    Run read(long offset, int maxBytes);

    /** Entries cannot be read now; a reader asks again. */
    final class UnavailableException extends RuntimeException {
        public UnavailableException(String why) {
            super(why);
        }
    }
}
