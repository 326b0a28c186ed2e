package io.sluice.broker.subscription;

import io.sluice.store.segment.Durable;
import java.util.List;

/**
 * Cursor of a share group: beside what is acknowledged it has how often the rest was delivered, as far as that was given back. Offsets are
 * those of records, and what a group will never be sent (rejected, delivered too often, no record) is acknowledged, too. Loop only.
 */
public interface ShareCursor extends Cursor {
    /** Ranges at or above {@link #ackedBelow} that were delivered and given back; in order. Some of it may be acknowledged since. */
    List<Delivered> delivered();

    /** Sets how often ranges were delivered; those that overlap earlier ones take their place. */
    void setDelivered(List<Delivered> ranges, Durable done);

    /** Range of offsets, both ends inclusive, and how often all of it was delivered: once at least. */
    record Delivered(long from, long to, int count) {}
}
