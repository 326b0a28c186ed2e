/**
 * Scalable topics, Pulsar 5's {@code topic://}: a graph of scalable segments with hash ranges
 * ({@link io.sluice.broker.scalable.ScalableGraph}, pure), kept in one metadata record. A scalable segment is a topic of one partition in
 * the catalogue. Scalable segments split and merge while they are written and read.
 */
@NullMarked
package io.sluice.broker.scalable;

import org.jspecify.annotations.NullMarked;
