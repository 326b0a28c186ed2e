package io.sluice.broker.access;

import io.sluice.broker.topic.TopicName;

/**
 * Port: decides who may do what. Any thread, also a Netty or a container's loop; never blocks.
 *
 * <p>An implementation honours what Kafka's operations imply: READ, WRITE, DELETE and ALTER imply DESCRIBE, ALTER_CONFIGS
 * implies DESCRIBE_CONFIGS.
 */
public interface Authorizer {
    /** Nobody is refused anything. */
    Authorizer ALLOW_ALL = (principal, operation, topic) -> true;

    /** @param topic need not exist */
    boolean allows(Principal principal, Operation operation, TopicName topic);
}
