package io.sluice.pulsar.namespace;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.broker.topic.TopicName;
import io.sluice.pulsar.namespace.ClusterMigration.Migration;
import io.sluice.pulsar.namespace.ClusterMigration.Target;
import io.sluice.store.cluster.InMemoryMetadata;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class MigrationTargetsTest {
    private static final Target GREEN = new Target(null, null, "pulsar://green:6650", null);
    private static final TopicName HERE = TopicName.ofDefault("t");
    private static final TopicName MARKED = new TopicName("public", "marked", "t");

    private final InMemoryMetadata metadata = new InMemoryMetadata();
    private final NamespacePolicies policies = new NamespacePolicies(metadata, Runnable::run);
    private final ClusterMigration migration = new ClusterMigration("blue", policies, metadata, Runnable::run);

    @BeforeEach
    void mark() throws Exception {
        policies.change("public", "marked", p -> TopicPolicies.MIGRATED.set(p, true));
    }

    @AfterEach
    void close() {
        metadata.close();
    }

    @Test
    void aMarkedNamespaceGoesWhereItsClusterIsToGo() throws Exception {
        assertThat(migration.of(MARKED)).isNull();
        assertThat(migration.isActive()).isFalse();
        migration.set("blue", new Migration(false, GREEN));
        assertThat(migration.of(MARKED)).isEqualTo(GREEN);
        assertThat(migration.of(HERE)).isNull();
        assertThat(migration.isMigrated("persistent://public/marked/t-partition-3"))
                .isTrue();
        assertThat(migration.isMigrated("persistent://public/default/t")).isFalse();
        assertThat(migration.whyNotWritten(MARKED))
                .isEqualTo("persistent://public/marked/t has migrated to another cluster, pulsar://green:6650");
        migration.set("blue", new Migration(false, null));
        assertThat(migration.of(MARKED)).isNull();
    }

    @Test
    void allGoesWithTheClusterButScalableTopics() throws Exception {
        migration.set("blue", new Migration(true, GREEN));
        assertThat(migration.of(HERE)).isEqualTo(GREEN);
        assertThat(migration.of(new TopicName("public", "default", "s/0000-ffff-0")))
                .isNull();
    }

    @Test
    void anotherClustersMigrationConcernsNobodyHere() throws Exception {
        migration.set("other", new Migration(true, GREEN));
        assertThat(migration.of(MARKED)).isNull();
        assertThat(migration.isActive()).isFalse();
    }

    @Test
    void whatIsStoredIsReadByTheNextStart() throws Exception {
        migration.set("blue", new Migration(true, GREEN));
        NamespacePolicies others = new NamespacePolicies(metadata, Runnable::run);
        ClusterMigration next = new ClusterMigration("blue", others, metadata, Runnable::run);
        others.load();
        next.load();
        assertThat(next.find("blue")).isEqualTo(new Migration(true, GREEN));
        assertThat(next.of(MARKED)).isEqualTo(GREEN);
        next.close();
        others.close();
    }
}
