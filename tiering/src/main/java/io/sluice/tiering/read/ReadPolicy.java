package io.sluice.tiering.read;

/**
 * Bounds of one container's reads from the object store. Memory is at most {@code concurrent * pieceBytes} for reads under
 * way and {@code aheadBytes} for what was read ahead; replies belong to those who asked.
 *
 * @param pieceBytes most bytes per request to the store
 * @param concurrent requests under way
 * @param waiting reads that wait; more are declined as overload
 * @param aheadPerReaderBytes how far a sequential reader is kept ahead; less when many share {@code aheadBytes}
 * @param aheadBytes of all sequential readers together; beyond it there is no read-ahead
 * @param idleMillis what was read ahead and not asked for is dropped after this
 * @param attempts requests for one piece before its readers are told that the tier is unavailable
 */
public record ReadPolicy(
        int pieceBytes,
        int concurrent,
        int waiting,
        int aheadPerReaderBytes,
        long aheadBytes,
        long idleMillis,
        int attempts) {
    public static final ReadPolicy DEFAULT = new ReadPolicy(1 << 20, 8, 4096, 4 << 20, 64 << 20, 5_000, 5);

    public ReadPolicy {
        if (pieceBytes <= 0 || pieceBytes > 1 << 28) {
            throw new IllegalArgumentException("A piece is 1 B to 256 MiB: " + pieceBytes);
        }
        if (concurrent <= 0 || waiting <= 0 || attempts <= 0 || idleMillis <= 0) {
            throw new IllegalArgumentException("Read bounds must be above 0");
        }
        if (aheadPerReaderBytes < 0 || aheadBytes < 0) {
            throw new IllegalArgumentException("Read-ahead bounds must not be negative");
        }
    }
    /** The same with so many bytes for all sequential readers. */
    public ReadPolicy ahead(long bytes) {
        return new ReadPolicy(pieceBytes, concurrent, waiting, aheadPerReaderBytes, bytes, idleMillis, attempts);
    }
}
