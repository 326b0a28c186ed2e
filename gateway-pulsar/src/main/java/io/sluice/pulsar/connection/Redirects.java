package io.sluice.pulsar.connection;

import io.sluice.broker.topic.TopicName;
import io.sluice.pulsar.namespace.ClusterMigration;
import org.apache.pulsar.common.api.proto.CommandTopicMigrated.ResourceType;
import org.apache.pulsar.common.api.proto.ProtocolVersion;
import org.apache.pulsar.common.protocol.Commands;

/** Sends what a client has of migrated topics on to another cluster, if the client knows the command. Event loop only, but for {@link #areFollowed}. */
public final class Redirects {
    private static final int FIRST_VERSION = ProtocolVersion.v20_VALUE;

    private final Outbound out;
    private final Handshake handshake;
    private final ClusterMigration migration;

    Redirects(Outbound out, Handshake handshake, ClusterMigration migration) {
        this.out = out;
        this.handshake = handshake;
        this.migration = migration;
    }

    /** Whether the client goes where it is told. Those over WebSocket are connections of this cluster. Once it has connected; any thread. */
    boolean areFollowed() {
        return handshake.protocolVersion() >= FIRST_VERSION
                && !handshake.clientVersion().equals(Connection.WEB_SOCKET);
    }

    /** Tells where the topic has gone, if that is still so: before the producer or consumer is closed, or refused. */
    public void tell(ResourceType type, long id, TopicName topic) {
        ClusterMigration.Target to = migration.of(topic);
        if (to != null && areFollowed()) {
            out.write(Commands.newTopicMigrated(type, id, to.brokerServiceUrl(), to.brokerServiceUrlTls()));
        }
    }
}
