package io.sluice.pulsar.handler;

import io.sluice.broker.topic.PulsarNames;
import io.sluice.broker.topic.PulsarNames.Parsed;
import io.sluice.pulsar.connection.Connection;
import io.sluice.pulsar.nonpersistent.NonPersistentPartitions;
import io.sluice.pulsar.nonpersistent.NonPersistentTopic;
import io.sluice.pulsar.nonpersistent.NonPersistentTopics;
import io.sluice.pulsar.topic.TopicAccess.Serving;
import java.util.function.BiConsumer;
import org.apache.pulsar.common.api.proto.ServerError;
import org.jspecify.annotations.Nullable;

/** Names of non-persistent topics in commands. */
final class NonPersistentNames {
    private NonPersistentNames() {}

    /**
     * Goes on, on the event loop, once it is known here how many partitions the topic has: at once, but where another node may have just
     * given it some.
     */
    static void whenKnown(Connection c, Parsed name, Runnable then) {
        NonPersistentPartitions partitions = c.services().nonPersistent().partitions();
        int known = partitions.find(name.topic());
        boolean enough = known > Math.max(0, name.partition());
        boolean here = name.partition() < 0 && c.services().nonPersistent().find(name) != null;
        if (enough || here || c.services().cluster().nodes().size() < 2) {
            then.run();
            return;
        }
        partitions.readSoon(name.topic()).whenComplete((now, why) -> c.execute(then));
    }

    /** Topic that this node has, or makes now; else the client is refused, and this is null. */
    static @Nullable NonPersistentTopic open(Connection c, Parsed name, BiConsumer<ServerError, String> refuse) {
        NonPersistentTopics topics = c.services().nonPersistent();
        String text = PulsarNames.ofNonPersistent(name);
        if (!(c.services().topics().servingNonPersistent(name) instanceof Serving.Here)) {
            refuse.accept(ServerError.ServiceNotReady, "Topic " + text + " is not served here now");
            return null;
        }
        if (name.partition() < 0 && topics.partitions().find(name.topic()) > 0) {
            refuse.accept(
                    ServerError.NotAllowedError,
                    "Topic " + text + " is partitioned: use its partitions, " + text + "-partition-N");
            return null;
        }
        NonPersistentTopic topic = topics.open(name);
        if (topic == null) {
            refuse.accept(ServerError.TopicNotFound, "Topic " + text + " not found");
        }
        return topic;
    }
}
