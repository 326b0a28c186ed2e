package io.sluice.kafka;

import io.sluice.broker.access.Authorizer;
import io.sluice.broker.access.Operation;
import io.sluice.broker.access.Principal;
import io.sluice.broker.access.ResourceType;
import io.sluice.broker.topic.TopicName;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Denies what a test names, on topics whose name begins with {@code secret} and on the cluster. */
public final class DenyingAuthorizer implements Authorizer {
    private final Set<Principal> asked = ConcurrentHashMap.newKeySet();
    private volatile Set<Operation> denied = Set.of();
    private volatile Set<Operation> deniedOnCluster = Set.of();

    public void deny(Set<Operation> operations) {
        denied = Set.copyOf(operations);
    }

    public void denyOnCluster(Set<Operation> operations) {
        deniedOnCluster = Set.copyOf(operations);
    }

    /** Whoever asked for anything. */
    public Set<Principal> asked() {
        return asked;
    }

    @Override
    public boolean allows(Principal principal, Operation operation, TopicName topic) {
        asked.add(principal);
        return !topic.local().startsWith("secret") || !denied.contains(operation);
    }

    @Override
    public boolean allows(Principal principal, Operation operation, ResourceType type, String name) {
        return true;
    }

    @Override
    public boolean allowsOnCluster(Principal principal, Operation operation) {
        asked.add(principal);
        return !deniedOnCluster.contains(operation);
    }
}
