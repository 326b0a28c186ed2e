/**
 * Reads of a partition, from the cache at once or piece by piece, and readers that wait for its end. Bytes come through the port {@link
 * io.sluice.broker.log.read.ExtentSource}.
 */
@NullMarked
package io.sluice.broker.log.read;

import org.jspecify.annotations.NullMarked;
