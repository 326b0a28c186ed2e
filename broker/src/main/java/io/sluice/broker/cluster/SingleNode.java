package io.sluice.broker.cluster;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;

/** A cluster of one server, which owns every container. */
public final class SingleNode implements Cluster {
    private final String id;
    private final List<Runnable> listeners = new CopyOnWriteArrayList<>();
    private volatile ClusterNode self;

    public SingleNode(String clusterId, int nodeId) {
        if (clusterId.isBlank() || nodeId < 0) {
            throw new IllegalArgumentException("a cluster has an id, a node one of 0 or more");
        }
        id = clusterId;
        self = new ClusterNode(nodeId, Map.of());
    }

    @Override
    public String id() {
        return id;
    }

    @Override
    public ClusterNode self() {
        return self;
    }

    @Override
    public List<ClusterNode> nodes() {
        return List.of(self);
    }

    @Override
    public ClusterNode ownerOf(int container) {
        return self;
    }

    @Override
    public void advertise(String listener, Endpoint endpoint) {
        synchronized (this) {
            Map<String, Endpoint> endpoints = new HashMap<>(self.endpoints());
            endpoints.put(listener, endpoint);
            self = self.listeningAt(endpoints);
        }
        listeners.forEach(Runnable::run);
    }

    @Override
    public void onChange(Runnable listener) {
        listeners.add(listener);
    }

    @Override
    public void offChange(Runnable listener) {
        listeners.remove(listener);
    }
}
