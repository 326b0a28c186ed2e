package io.sluice.pulsar.nonpersistent;

/**
 * Numbers of clients that a topic takes, or each partition of it; 0 for any. Those that are there when a number is lowered stay.
 *
 * @param producers at a time
 * @param consumers of all subscriptions at a time
 * @param consumersOfOne of each subscription at a time
 * @param subscriptions with readers'
 */
public record NonPersistentBounds(int producers, int consumers, int consumersOfOne, int subscriptions) {}
