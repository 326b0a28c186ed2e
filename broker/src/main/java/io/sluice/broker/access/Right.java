package io.sluice.broker.access;

/** Operation on a type of resource, for which a request asks where it names such a resource, or concerns the cluster. */
public record Right(ResourceType type, Operation operation) implements Comparable<Right> {
    public static Right topic(Operation operation) {
        return new Right(ResourceType.TOPIC, operation);
    }

    public static Right group(Operation operation) {
        return new Right(ResourceType.GROUP, operation);
    }

    public static Right transactionalId(Operation operation) {
        return new Right(ResourceType.TRANSACTIONAL_ID, operation);
    }

    public static Right cluster(Operation operation) {
        return new Right(ResourceType.CLUSTER, operation);
    }

    public static Right delegationToken(Operation operation) {
        return new Right(ResourceType.DELEGATION_TOKEN, operation);
    }

    public static Right user(Operation operation) {
        return new Right(ResourceType.USER, operation);
    }

    @Override
    public int compareTo(Right other) {
        int types = type.compareTo(other.type);
        return types != 0 ? types : operation.compareTo(other.operation);
    }

    /** As documents have it: {@code READ TOPIC}. */
    @Override
    public String toString() {
        return operation + " " + type;
    }
}
