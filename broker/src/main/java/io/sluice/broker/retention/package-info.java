/**
 * Deletes what topics no longer keep. {@link io.sluice.broker.retention.Retention} decides (pure),
 * {@link io.sluice.broker.retention.EnforceRetention} goes round the partitions. May use {@code topic} and {@code log}.
 */
@NullMarked
package io.sluice.broker.retention;

import org.jspecify.annotations.NullMarked;
