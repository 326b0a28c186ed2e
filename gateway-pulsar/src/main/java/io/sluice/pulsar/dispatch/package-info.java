/**
 * Dispatch on the container's loop beside the data: subscriptions of a partition, and which consumer gets which entry.
 * Everything here is loop only unless it says otherwise.
 */
@NullMarked
package io.sluice.pulsar.dispatch;

import org.jspecify.annotations.NullMarked;
