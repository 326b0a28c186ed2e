package io.sluice.broker.compaction;

import io.sluice.broker.compaction.PartitionScan.Chunk;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** The two passes of a compaction over entries: one for the last offset of each key, one that copies what stays. Blocking; one thread. */
final class KeyPasses {
    private final KeyedFormats formats;
    private final Runs runs;
    private long readBytes;

    /** Parts of a chunk as a format gets them. */
    interface Runs {
        /** Takes the next whole entries out of the chunk; null at its end. */
        @Nullable
        ByteBuffer next(Chunk chunk, AbortedData aborted);

        /** A run is about to be rewritten. */
        default void reading(ByteBuffer run) {}

        /** So much is left of it. */
        default void kept(ByteBuffer entries) {}
    }

    /**
     * End of the memory for keys.
     *
     * @param keys that are known
     * @param offset of the record whose key is not
     * @param chunk with that record
     */
    record Full(int keys, long offset, Chunk chunk) {
        CompactionException exception() {
            return new CompactionException("there is no memory for the " + keys + " keys up to offset " + offset);
        }
    }

    KeyPasses(KeyedFormats formats, Runs runs) {
        this.formats = formats;
        this.runs = runs;
    }

    /** Puts the last offset of each key into {@code newest}. Null if all are known. */
    @Nullable
    Full readKeys(PartitionScan scan, AbortedData aborted, OffsetMap newest)
            throws CompactionException, InterruptedException {
        long[] fullAt = {-1};
        for (Chunk chunk = scan.next(); chunk != null; chunk = scan.next()) {
            for (ByteBuffer run = runs.next(chunk, aborted); run != null; run = runs.next(chunk, aborted)) {
                boolean all = formats.of(chunk).readKeys(run, aborted, (key, offset) -> {
                    boolean added = newest.put(key, offset);
                    fullAt[0] = added ? fullAt[0] : offset;
                    return added;
                });
                if (!all) {
                    return new Full(newest.size(), fullAt[0], chunk);
                }
            }
        }
        return null;
    }

    void copy(PartitionScan scan, AbortedData aborted, Survivors survivors, CompanionWriter writer)
            throws CompactionException, InterruptedException {
        for (Chunk chunk = scan.next(); chunk != null; chunk = scan.next()) {
            readBytes += chunk.bytes().remaining();
            for (ByteBuffer run = runs.next(chunk, aborted); run != null; run = runs.next(chunk, aborted)) {
                runs.reading(run);
                ByteBuffer left = formats.of(chunk).rewrite(run, aborted, survivors);
                runs.kept(left);
                writer.add(left);
            }
        }
    }

    /** Bytes that {@link #copy} has read. */
    long readBytes() {
        return readBytes;
    }
}
