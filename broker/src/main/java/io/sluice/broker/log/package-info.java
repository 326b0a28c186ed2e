/**
 * The shared door of both protocols: PartitionLog. Dense offsets, duplicate detection, offset index, tail waiters.
 * <p>PartitionState rides the partition's segment and is pure; PartitionLog ties it to the container's loop.
 */
@NullMarked
package io.sluice.broker.log;

import org.jspecify.annotations.NullMarked;
