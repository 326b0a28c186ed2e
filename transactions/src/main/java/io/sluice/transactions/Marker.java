package io.sluice.transactions;

/**
 * What ends a producer's transaction in a partition.
 *
 * @param coordinatorEpoch rises with each owner of the id; partitions refuse the markers of earlier ones
 * @param commit false to abort
 */
public record Marker(ProducerIdentity producer, int coordinatorEpoch, boolean commit) {}
