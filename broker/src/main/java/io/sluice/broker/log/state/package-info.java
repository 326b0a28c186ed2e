/**
 * State of a partition, in parts: what it knows of its entries, its snapshot, its replay. Pure: no I/O, no threads, no clock.
 */
@NullMarked
package io.sluice.broker.log.state;

import org.jspecify.annotations.NullMarked;
