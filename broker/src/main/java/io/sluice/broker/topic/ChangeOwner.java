package io.sluice.broker.topic;

import java.util.UUID;

/**
 * The process that has begun a change of a topic, as the topic's record names it until the change is over.
 *
 * @param node its id, which stays over restarts
 * @param incarnation new with every start
 */
public record ChangeOwner(int node, UUID incarnation) {}
