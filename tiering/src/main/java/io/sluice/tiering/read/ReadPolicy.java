package io.sluice.tiering.read;

/**
 * Bounds of one container's reads from the object store. Memory is at most {@code concurrent * aheadPieceBytes} for requests
 * under way and {@code aheadBytes} for what is read ahead; replies belong to those who asked.
 *
 * @param pieceBytes most bytes per request to the store, unless it is ahead of a sequential reader
 * @param aheadPieceBytes most bytes per request ahead of one
 * @param concurrent requests under way, however large
 * @param concurrentSmall requests under way that ask for {@code concurrent * pieceBytes} together or less
 * @param requests requests of readers under way; others wait their turn
 * @param waiting readers that wait, for their turn or for bytes; more are declined as overload
 * @param sharedBytes least read of what is to be shared through the cache
 * @param aheadPerReaderBytes how far a sequential reader is kept ahead; less when many share {@code aheadBytes}
 * @param aheadBytes of all readers together, read ahead or behind the first piece that was asked for
 * @param idleMillis what was read ahead is dropped when its reader has not read for so long
 * @param attempts requests for one piece before its readers are told that the tier is unavailable
 */
public record ReadPolicy(
        int pieceBytes,
        int aheadPieceBytes,
        int concurrent,
        int concurrentSmall,
        int requests,
        int waiting,
        int sharedBytes,
        int aheadPerReaderBytes,
        long aheadBytes,
        long idleMillis,
        int attempts) {
    /** For a disk of this machine. */
    public static final ReadPolicy LOCAL =
            new ReadPolicy(1 << 20, 1 << 20, 8, 8, 16, 4096, 1 << 20, 4 << 20, 64 << 20, 5_000, 5);

    /** For a store that answers after tens of milliseconds, and by the request. */
    public static final ReadPolicy REMOTE =
            new ReadPolicy(1 << 20, 4 << 20, 8, 16, 16, 4096, 1 << 20, 32 << 20, 64 << 20, 5_000, 5);

    /** A reader has one in use while others are on their way. */
    private static final int PIECES_PER_WINDOW = 4;

    /** Parts that a reader has in the cache: one is used up while the next comes in. */
    private static final int PARTS_PER_READER = 2;

    /** Less is not worth a request, however many readers there are. */
    private static final int LEAST_PART = 32 << 10;

    /** As Linux does, a window grows with what was read: who reads little has little read ahead in vain. */
    private static final int WINDOW_PER_RUN = 4;

    public ReadPolicy {
        if (pieceBytes <= 0 || aheadPieceBytes < pieceBytes || aheadPieceBytes > 1 << 28) {
            throw new IllegalArgumentException("A piece is 1 B to 256 MiB, and ahead of a reader not smaller: "
                    + pieceBytes + " and " + aheadPieceBytes);
        }
        if (concurrentSmall < concurrent) {
            throw new IllegalArgumentException(
                    "Small requests may be as many as others: " + concurrentSmall + " and " + concurrent);
        }
        if (concurrent <= 0 || requests <= 0 || waiting <= 0 || attempts <= 0 || idleMillis <= 0) {
            throw new IllegalArgumentException("Read bounds must be above 0");
        }
        if (sharedBytes < 0 || aheadPerReaderBytes < 0 || aheadBytes < 0) {
            throw new IllegalArgumentException("Bytes to read in advance must not be negative");
        }
    }

    /** The same with so many bytes for all sequential readers. */
    public ReadPolicy ahead(long bytes) {
        return new ReadPolicy(
                pieceBytes,
                aheadPieceBytes,
                concurrent,
                concurrentSmall,
                requests,
                waiting,
                sharedBytes,
                aheadPerReaderBytes,
                bytes,
                idleMillis,
                attempts);
    }

    /**
     * How far to keep a reader ahead, in bytes.
     *
     * @param run bytes that it has read in sequence
     * @param readers sequential readers that there are, {@code > 0}
     * @param others bytes that others have read since it was answered: when that is more than can be ahead of all, what was
     *     ahead of this one would be gone when it comes back
     */
    long window(long run, int readers, long others) {
        return others > aheadBytes ? 0 : Math.min(Math.min(aheadPerReaderBytes, share(readers)), WINDOW_PER_RUN * run);
    }

    /**
     * Least to read of what is kept in the cache. Where many read at once less, so that what was read for one is still there
     * when it is its turn again.
     *
     * @param cacheBytes that catch-up reads may fill
     * @param readers sequential readers that there are, {@code > 0}
     */
    int leastRead(long cacheBytes, int readers) {
        return (int) Math.min(sharedBytes, Math.max(LEAST_PART, cacheBytes / PARTS_PER_READER / readers));
    }

    /** Whether a reader takes so much at a time that one request brings little more than that. */
    boolean isLarge(int maxBytes, int leastRead) {
        return maxBytes >= leastRead / 4;
    }

    /**
     * Bytes to read for one who asks for {@code maxBytes} from {@code position} on: more than one range only if asked for, and
     * nothing that the cache has.
     *
     * @param rangeEnd behind the range that holds the position
     * @param cachedFrom the first position that the cache has, {@code > position}
     */
    static int wanted(int maxBytes, int leastRead, long position, long rangeEnd, long cachedFrom) {
        long bytes = Math.max(maxBytes, Math.min(leastRead, rangeEnd - position));
        return (int) Math.min(bytes, cachedFrom - position);
    }

    /** @param bytes that {@code running} requests ask for together with one more */
    boolean oneMore(int running, long bytes) {
        return running < concurrent || (running < concurrentSmall && bytes <= (long) concurrent * pieceBytes);
    }

    /** Bytes of {@code aheadBytes} for each: with more some would find no room, and so read the same again and again. */
    long share(int readers) {
        return aheadBytes / readers;
    }

    /** Most bytes per request within a window. */
    int pieceWithin(long window) {
        return (int) Math.min(aheadPieceBytes, Math.max(pieceBytes, window / PIECES_PER_WINDOW));
    }
}
