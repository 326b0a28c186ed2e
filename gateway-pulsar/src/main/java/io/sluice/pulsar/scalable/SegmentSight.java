package io.sluice.pulsar.scalable;

import org.jspecify.annotations.Nullable;

/**
 * Observed state of a subscription on a segment.
 *
 * @param drained the segment is terminated, no transaction is open that wrote to it, and the subscription has, durably, acknowledged all of it
 * @param reader name of a consumer that is attached; null if there is none
 * @param ready the reader's client knows that it is attached
 */
record SegmentSight(boolean drained, @Nullable String reader, boolean ready) {}
