package io.sluice.kafka.api;

import io.sluice.broker.access.Operation;
import io.sluice.broker.access.ResourceType;

/** Operation on a type of resource, for which an API asks where a request names such a resource, or concerns the cluster. */
public record Right(ResourceType type, Operation operation) implements Comparable<Right> {
    static Right topic(Operation operation) {
        return new Right(ResourceType.TOPIC, operation);
    }

    static Right group(Operation operation) {
        return new Right(ResourceType.GROUP, operation);
    }

    static Right transactionalId(Operation operation) {
        return new Right(ResourceType.TRANSACTIONAL_ID, operation);
    }

    static Right cluster(Operation operation) {
        return new Right(ResourceType.CLUSTER, operation);
    }

    @Override
    public int compareTo(Right other) {
        int types = type.compareTo(other.type);
        return types != 0 ? types : operation.compareTo(other.operation);
    }

    @Override
    public String toString() {
        return type + ":" + operation;
    }
}
