/**
 * State machines that keep their state in a log of their own: an internal partition to which entries are appended, which is
 * replayed when a state machine takes over, and which is compacted as topics are. Knows no protocol's records. May use {@code entry},
 * {@code log} and {@code topic}.
 */
@NullMarked
package io.sluice.broker.coordination;

import org.jspecify.annotations.NullMarked;
