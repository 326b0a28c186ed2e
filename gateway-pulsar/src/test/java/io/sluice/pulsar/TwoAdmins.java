package io.sluice.pulsar;

import io.sluice.broker.cluster.ClusterNode;
import io.sluice.broker.cluster.Endpoint;
import java.util.ArrayList;
import java.util.List;

/** HTTP of both nodes of {@link TwoGateways}, each of which knows where the other's is. */
final class TwoAdmins implements AutoCloseable {
    private final List<TestAdmin> admins = new ArrayList<>();

    TwoAdmins(TwoGateways both) throws Exception {
        for (int node = 1; node <= 2; node++) {
            TestAdmin admin = new TestAdmin(both.gateway(node), both.port(node));
            admins.add(admin);
            both.nodes.of(node).advertise(ClusterNode.HTTP, new Endpoint("127.0.0.1", admin.port()));
        }
    }

    /** @param node 1 or 2 */
    TestAdmin of(int node) {
        return admins.get(node - 1);
    }

    @Override
    public void close() throws Exception {
        for (TestAdmin admin : admins) {
            admin.close();
        }
    }
}
