/**
 * The store's public door: what the broker may use of core-store.
 * <p>A {@link io.sluice.store.segment.SegmentContainer} owns many segments, one log and one loop. Everything here is
 * called on that loop unless its doc says otherwise; other threads ask it with {@code ask}. May use: nothing
 * but {@code store.tier}-free value types and Netty buffers.
 */
@NullMarked
package io.sluice.store.segment;

import org.jspecify.annotations.NullMarked;
