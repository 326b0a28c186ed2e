package io.sluice.server.wiring;

import io.sluice.broker.cluster.ClusterNode;

/** Where clients connect: {@code host:port} as they are told. */
public record Listeners(String kafka, String pulsar, String http) {
    static Listeners of(ClusterNode self) {
        return new Listeners(
                String.valueOf(self.endpoint(ClusterNode.KAFKA)),
                String.valueOf(self.endpoint(ClusterNode.PULSAR)),
                String.valueOf(self.endpoint(ClusterNode.HTTP)));
    }
}
