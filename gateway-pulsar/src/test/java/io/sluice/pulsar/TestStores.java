package io.sluice.pulsar;

import io.sluice.broker.retention.Retention;
import io.sluice.pulsar.admin.ServerStores;
import java.util.List;
import org.apache.pulsar.common.policies.data.PersistencePolicies;

/** Stores that the tests' servers say they have; topics are kept as their namespaces say. */
public final class TestStores {
    static final String METADATA = "zk:test:2181/sluice";
    static final PersistencePolicies COPIES = new PersistencePolicies(3, 3, 2, 0);
    static final List<String> BOOKIES = List.of("bookie-1:3181", "bookie-2:3181");

    private TestStores() {}

    public static ServerStores of(PulsarGateway gateway) {
        return new ServerStores(
                METADATA,
                COPIES,
                () -> BOOKIES,
                topic -> Retention.of(
                        topic, gateway.services().retention().of(topic.name()).orElse(Retention.KEEP)));
    }
}
