package io.sluice.broker.subscription;

/**
 * A consumer that is connected to a subscription in a partition.
 *
 * @param address of the client, as Pulsar's stats show it
 * @param type of the subscription, as Pulsar writes it
 * @param isServed whether messages of the partition go to it; false where another consumer is the active one
 */
public record SubscriptionReader(String name, String address, String type, boolean isServed) {}
