package io.sluice.tiering.flush;

/**
 * When a container's bytes go to the object store, and in what portions.
 *
 * <p>Every flush of a segment adds a range to the manifest, which is part of every checkpoint, and every object costs two
 * fsyncs in a directory. So bytes wait until there are many: nothing is gained by hurrying, for they are durable in the log.
 * What forces a flush is the log that wants to be truncated, and the cache that must hold what the tier lacks; both show
 * in the total and in the host's pressure. Age only sees to it that a segment that is hardly written does not hold an old
 * ledger for ever; at ten minutes such a segment adds 144 ranges a day, at ten seconds it would add 8,640.
 *
 * @param segmentBytes a segment with as many untiered bytes is flushed, into objects of its own; at {@code objectBytes} they
 *     are full
 * @param totalBytes with as many untiered bytes in the container, segments are flushed in turn until half of that is left
 * @param ageMillis bytes that have waited as long are flushed
 * @param objectBytes most data bytes per object, and per range
 * @param uploads objects on their way at most; together with {@code objectBytes} this bounds the bytes pinned
 */
public record FlushPolicy(long segmentBytes, long totalBytes, long ageMillis, int objectBytes, int uploads) {
    public static final FlushPolicy DEFAULT = new FlushPolicy(16 << 20, 64 << 20, 600_000, 16 << 20, 4);

    private static final int SMALLEST_OBJECT = 256 << 10;
    private static final int LARGEST_OBJECT = 1 << 30;

    public FlushPolicy {
        if (segmentBytes <= 0 || totalBytes <= 0 || ageMillis <= 0 || uploads <= 0) {
            throw new IllegalArgumentException("Flush limits must be above 0");
        }
        if (objectBytes < segmentBytes || objectBytes > LARGEST_OBJECT) {
            throw new IllegalArgumentException("Objects must hold at least " + segmentBytes + " and at most "
                    + LARGEST_OBJECT + " bytes: " + objectBytes);
        }
    }

    /**
     * The same for a container that has {@code room} bytes for what the tier lacks, if that is little: objects on their way at
     * the same time may end at the same time, and no more than a third of the room should come back at once.
     */
    public FlushPolicy within(long room) {
        int object = (int) Math.min(objectBytes, Math.max(SMALLEST_OBJECT, room / (3L * uploads)));
        return new FlushPolicy(
                Math.min(segmentBytes, object), Math.min(totalBytes, room / 3), ageMillis, object, uploads);
    }
}
