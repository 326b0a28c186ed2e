/**
 * Partitions that are open: made by the container's loop as it applies their segments, appended to, compacted, handed over to another
 * container.
 */
@NullMarked
package io.sluice.broker.log.open;

import org.jspecify.annotations.NullMarked;
