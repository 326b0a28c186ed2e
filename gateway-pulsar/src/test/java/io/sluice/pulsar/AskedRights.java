package io.sluice.pulsar;

import io.sluice.broker.access.Authorizer;
import io.sluice.broker.access.Operation;
import io.sluice.broker.access.Principal;
import io.sluice.broker.access.ResourceType;
import io.sluice.broker.access.Right;
import io.sluice.broker.topic.TopicName;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.function.Predicate;

/** Writes down which rights it is asked for, and allows those that a test says. */
final class AskedRights implements Authorizer {
    final Set<Right> asked = new ConcurrentSkipListSet<>();
    volatile Predicate<Right> allowed = _ -> true;

    private boolean ask(ResourceType type, Operation operation) {
        Right right = new Right(type, operation);
        asked.add(right);
        return allowed.test(right);
    }

    @Override
    public boolean allows(Principal who, Operation operation, TopicName topic) {
        return ask(ResourceType.TOPIC, operation);
    }

    @Override
    public boolean allows(Principal who, Operation operation, ResourceType type, String name) {
        return ask(type, operation);
    }

    @Override
    public boolean allowsOnNamespace(Principal who, Operation operation, String tenant, String namespace) {
        return ask(ResourceType.TOPIC, operation);
    }

    @Override
    public boolean allowsOnCluster(Principal who, Operation operation) {
        return ask(ResourceType.CLUSTER, operation);
    }
}
