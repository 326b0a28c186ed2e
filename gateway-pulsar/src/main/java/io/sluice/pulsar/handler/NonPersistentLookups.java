package io.sluice.pulsar.handler;

import io.sluice.broker.access.Operation;
import io.sluice.broker.topic.PulsarNames;
import io.sluice.broker.topic.PulsarNames.Parsed;
import io.sluice.pulsar.connection.Connection;
import io.sluice.pulsar.nonpersistent.NonPersistentTopics;
import io.sluice.pulsar.topic.TopicAccess;
import io.sluice.pulsar.topic.TopicAccess.Serving;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.apache.pulsar.common.api.proto.CommandGetTopicsOfNamespace.Mode;
import org.apache.pulsar.common.api.proto.ServerError;
import org.apache.pulsar.common.protocol.Commands;

/** Answers about non-persistent topics: how many partitions they have, and which there are. */
final class NonPersistentLookups {
    private NonPersistentLookups() {}

    /** PARTITIONED_METADATA. A topic without partitions comes into being with its first client, at the node that will have it. */
    static void partitions(Connection c, long requestId, Parsed name, boolean mayCreate) {
        if (!c.services().topics().allows(c.principal(), Operation.DESCRIBE, name.topic())) {
            fail(c, requestId, ServerError.AuthorizationError, "Client is not authorized to Get Partition Metadata");
            return;
        }
        NonPersistentNames.whenKnown(c, name, () -> answer(c, requestId, name, mayCreate));
    }

    private static void answer(Connection c, long requestId, Parsed name, boolean mayCreate) {
        NonPersistentTopics topics = c.services().nonPersistent();
        int partitions = topics.partitions().find(name.topic());
        if (name.partition() >= 0) {
            if (name.partition() < partitions) {
                answer(c, requestId, 0);
            } else {
                missing(c, requestId, name);
            }
            return;
        }
        TopicAccess access = c.services().topics();
        boolean there = partitions > 0 || topics.find(name) != null;
        boolean creates = !there && mayCreate && access.createsOnUse(name.topic());
        if (creates && access.defaultPartitions(name.topic()) > 0) {
            create(c, requestId, name, access.defaultPartitions(name.topic()));
        } else if (there || creates || !(access.servingNonPersistent(name) instanceof Serving.Here)) {
            // one that another node has is known there alone, which says it to its first producer or consumer
            answer(c, requestId, partitions);
        } else {
            missing(c, requestId, name);
        }
    }

    private static void create(Connection c, long requestId, Parsed name, int partitions) {
        c.services()
                .nonPersistent()
                .partitions()
                .createSoon(name.topic(), partitions)
                .whenComplete((now, why) -> {
                    if (why == null) {
                        answer(c, requestId, now);
                    } else {
                        fail(c, requestId, ServerError.ServiceNotReady, "the metadata store does not answer");
                    }
                });
    }

    private static void missing(Connection c, long requestId, Parsed name) {
        fail(c, requestId, ServerError.TopicNotFound, "Topic " + PulsarNames.ofNonPersistent(name) + " not found");
    }

    private static void answer(Connection c, long requestId, int partitions) {
        c.send(Commands.newPartitionMetadataResponse(partitions, requestId));
    }

    private static void fail(Connection c, long requestId, ServerError error, String message) {
        c.send(Commands.newPartitionMetadataResponse(error, message, requestId));
    }

    /** Names that a list of this mode has: of kept topics as they were found, and of the others, of which this node knows. */
    static List<String> listed(Connection c, Mode mode, String tenant, String namespace, List<String> kept) {
        return switch (mode) {
            case PERSISTENT -> kept;
            case NON_PERSISTENT -> names(c, tenant, namespace);
            case ALL -> {
                List<String> all = new ArrayList<>(kept);
                all.addAll(names(c, tenant, namespace));
                yield all;
            }
        };
    }

    /** All partitions of partitioned ones, and as in Pulsar those of the others that this node has. */
    private static List<String> names(Connection c, String tenant, String namespace) {
        NonPersistentTopics topics = c.services().nonPersistent();
        Set<String> names = new LinkedHashSet<>();
        topics.in(tenant, namespace).forEach(each -> names.add(PulsarNames.ofNonPersistent(each)));
        topics.partitions().in(tenant, namespace).forEach(each -> {
            for (int p = 0; p < topics.partitions().find(each); p++) {
                names.add(PulsarNames.ofNonPersistent(new Parsed(each, p)));
            }
        });
        return List.copyOf(names);
    }
}
