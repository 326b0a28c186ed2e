/**
 * The door of both protocols to a partition: {@link io.sluice.broker.log.PartitionLog}, what it is asked and what it answers. Dense
 * offsets, duplicate detection, transactions, waiting readers.
 */
@NullMarked
package io.sluice.broker.log;

import org.jspecify.annotations.NullMarked;
