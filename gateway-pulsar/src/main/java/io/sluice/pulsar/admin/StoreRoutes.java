package io.sluice.pulsar.admin;

import static io.sluice.broker.access.Operation.ALTER;
import static io.sluice.broker.access.Operation.DESCRIBE;
import static io.sluice.broker.access.Operation.DESCRIBE_CONFIGS;
import static io.sluice.pulsar.admin.AdminAnswers.await;

import io.sluice.broker.retention.EnforceRetention;
import io.sluice.broker.retention.Retention;
import java.io.IOException;
import org.apache.pulsar.common.conf.InternalConfigurationData;
import org.apache.pulsar.common.policies.data.BookiesClusterInfo;
import org.apache.pulsar.common.policies.data.RawBookieInfo;

/**
 * Stores below this server: its bookies, its metadata store, and {@code .../trim}, which deletes at once what retention would delete at its next look; of
 * a partitioned topic in every partition.
 */
final class StoreRoutes {
    /** Root of what BookKeeper keeps in the metadata store. */
    private static final String LEDGERS = "/ledgers";

    private final AdminTopics topics;
    private final ServerStores stores;

    StoreRoutes(AdminTopics topics, ServerStores stores) {
        this.topics = topics;
        this.stores = stores;
    }

    void add(Routes routes) {
        routes.cluster(DESCRIBE).get("/admin/v2/bookies/all", r -> bookies());
        routes.cluster(DESCRIBE_CONFIGS).get("/admin/v2/brokers/internal-configuration", r -> configuration());
        routes.topic(ALTER).post("/admin/v2/persistent/:tenant/:namespace/:topic/trim", this::trim);
    }

    private Object bookies() throws IOException {
        return BookiesClusterInfo.builder()
                .bookies(stores.bookies().ids().stream().map(RawBookieInfo::new).toList())
                .build();
    }

    /** BookKeeper's metadata has no store of its own, which Pulsar shows by leaving its address out. */
    private Object configuration() {
        return new InternalConfigurationData(stores.metadataUrl(), stores.metadataUrl(), LEDGERS, null, null);
    }

    /** As Pulsar: 200 without a body. */
    private Object trim(TopicRequest r) throws AdminException {
        topics.each(r, this::trim, OtherNode::same);
        return Routes.NOTHING;
    }

    private String trim(AdminTopics.Part part) throws AdminException {
        Retention kept = stores.retention().apply(part.topic());
        long now = System.currentTimeMillis();
        var container = part.log().container();
        await(container.<Boolean>ask(answer -> {
            EnforceRetention.cut(part.log(), kept, now);
            container.barrier(answer.onceDurable(true));
        }));
        return Routes.NOTHING;
    }
}
