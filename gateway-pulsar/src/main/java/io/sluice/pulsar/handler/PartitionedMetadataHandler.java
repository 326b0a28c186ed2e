package io.sluice.pulsar.handler;

import io.sluice.broker.access.Operation;
import io.sluice.broker.topic.PulsarNames;
import io.sluice.broker.topic.TopicException;
import io.sluice.pulsar.connection.Connection;
import io.sluice.pulsar.error.ErrorMapping;
import io.sluice.pulsar.topic.TopicAccess;
import io.sluice.pulsar.topic.TopicAccess.Found;
import org.apache.pulsar.common.api.proto.CommandPartitionedTopicMetadata;
import org.apache.pulsar.common.api.proto.ServerError;
import org.apache.pulsar.common.protocol.Commands;

/**
 * PARTITIONED_METADATA: how many partitions a topic has; 0 if it is non-partitioned, or is a partition itself. A topic that
 * does not exist is created here only if topics created on use are partitioned; a non-partitioned one comes into being with
 * its first producer or consumer.
 */
final class PartitionedMetadataHandler {
    private PartitionedMetadataHandler() {}

    static void handle(Connection c, CommandPartitionedTopicMetadata command) {
        long requestId = command.getRequestId();
        boolean mayCreate = !command.hasMetadataAutoCreationEnabled() || command.isMetadataAutoCreationEnabled();
        try {
            if (PulsarNames.isNonPersistent(command.getTopic())) {
                NonPersistentLookups.partitions(
                        c, requestId, PulsarNames.parseNonPersistent(command.getTopic()), mayCreate);
                return;
            }
            PulsarNames.Parsed name = PulsarNames.parse(command.getTopic());
            c.services()
                    .topics()
                    .whenKnown(
                            c.principal(),
                            Operation.DESCRIBE,
                            name,
                            c::execute,
                            () -> answer(c, requestId, name, mayCreate));
        } catch (TopicException e) {
            fail(c, requestId, e);
        }
    }

    private static void answer(Connection c, long requestId, PulsarNames.Parsed name, boolean mayCreate) {
        TopicAccess topics = c.services().topics();
        switch (topics.find(c.principal(), Operation.DESCRIBE, name)) {
            case Found.Denied d ->
                fail(
                        c,
                        requestId,
                        ServerError.AuthorizationError,
                        "Client is not authorized to Get Partition Metadata");
            case Found.Partition p -> answer(c, requestId, 0);
            case Found.Partitioned p ->
                answer(c, requestId, p.topic().partitions().size());
            case Found.Missing m -> {
                if (!mayCreate || !m.creatable()) {
                    fail(c, requestId, ServerError.TopicNotFound, "Topic " + PulsarNames.text(name) + " not found");
                } else if (topics.defaultPartitions(name.topic()) == 0) {
                    answer(c, requestId, 0);
                } else {
                    create(c, requestId, name);
                }
            }
        }
    }

    private static void create(Connection c, long requestId, PulsarNames.Parsed name) {
        c.services().topics().create(name.topic(), (topic, why) -> {
            if (topic != null) {
                answer(c, requestId, topic.partitioned() ? topic.partitions().size() : 0);
            } else if (why != null) {
                fail(c, requestId, why);
            }
        });
    }

    private static void answer(Connection c, long requestId, int partitions) {
        c.send(Commands.newPartitionMetadataResponse(partitions, requestId));
    }

    private static void fail(Connection c, long requestId, TopicException why) {
        fail(c, requestId, ErrorMapping.of(why.reason()), TopicAccess.messageOf(why));
    }

    private static void fail(Connection c, long requestId, ServerError error, String message) {
        c.send(Commands.newPartitionMetadataResponse(error, message, requestId));
    }
}
