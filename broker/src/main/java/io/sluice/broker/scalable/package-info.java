/**
 * Scalable topics, Pulsar 5's {@code topic://}: a graph of segments with hash ranges ({@link io.sluice.broker.scalable.SegmentGraph}, pure),
 * kept in one metadata record. A segment is a topic of one partition in the catalogue. Segments split and merge while
 * they are written and read.
 */
@NullMarked
package io.sluice.broker.scalable;

import org.jspecify.annotations.NullMarked;
