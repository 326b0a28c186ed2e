package io.sluice.pulsar.topic;

import io.sluice.broker.log.PartitionLog;
import io.sluice.broker.topic.Partitions;
import io.sluice.broker.topic.PulsarNames;
import io.sluice.broker.topic.PulsarNames.Parsed;
import io.sluice.broker.topic.Topic;
import io.sluice.broker.topic.TopicCatalogue;
import io.sluice.broker.topic.TopicException;
import io.sluice.broker.topic.TopicName;
import io.sluice.pulsar.config.PulsarGatewayConfig.TopicCreation;
import io.sluice.pulsar.error.ErrorMapping;
import java.util.concurrent.CompletionException;
import org.apache.pulsar.common.api.proto.ServerError;
import org.jspecify.annotations.Nullable;

/** From the name a client uses to the partition's log, creating topics where that is wanted. Any thread. */
public final class TopicAccess {
    private final TopicCatalogue catalogue;
    private final Partitions partitions;
    private final TopicCreation creation;

    public TopicAccess(TopicCatalogue catalogue, Partitions partitions, TopicCreation creation) {
        this.catalogue = catalogue;
        this.partitions = partitions;
        this.creation = creation;
    }

    /**
     * A partition that is served here.
     *
     * @param partition -1 for a non-partitioned topic
     */
    public record Opened(Topic topic, int partition, PartitionLog log) {
        /** As clients name it. */
        public String name() {
            return partition < 0 ? topic.name().toString() : PulsarNames.ofPartition(topic.name(), partition);
        }
    }

    /** Answer to {@link #open}; one method is called, once, on the caller's thread or on a virtual one. */
    public interface Reply {
        void opened(Opened partition);

        void failed(ServerError error, String message);
    }

    /** Answer to {@link #find}. */
    public sealed interface Found {
        record Partition(Topic topic, int partition) implements Found {}

        /** The name is that of a partitioned topic; its partitions are what can be used. */
        record Partitioned(Topic topic) implements Found {}

        record Missing() implements Found {}
    }

    public Found find(Parsed name) {
        Topic topic = visible(name.topic());
        if (topic == null) {
            return new Found.Missing();
        }
        if (name.partition() < 0) {
            return topic.partitioned() ? new Found.Partitioned(topic) : new Found.Partition(topic, -1);
        }
        return topic.partitioned() && name.partition() < topic.partitions().size()
                ? new Found.Partition(topic, name.partition())
                : new Found.Missing();
    }

    /** Null also for what the system keeps for itself. */
    public @Nullable Topic visible(TopicName name) {
        Topic topic = catalogue.find(name);
        return topic == null || topic.internal() ? null : topic;
    }

    public boolean createsTopics() {
        return creation.automatic();
    }

    /** Partitions of topics that are created on use; 0 if they are non-partitioned. */
    public int defaultPartitions() {
        return creation.partitions();
    }

    public void open(Parsed name, boolean create, Reply reply) {
        if (!create || !creation.automatic() || name.partition() >= 0 || !(find(name) instanceof Found.Missing)) {
            openExisting(name, reply);
            return;
        }
        create(name.topic(), (topic, why) -> {
            if (why == null) {
                openExisting(name, reply);
            } else {
                reply.failed(ErrorMapping.of(why.reason()), messageOf(why));
            }
        });
    }

    /** Told of a created topic, or why there is none. */
    public interface Created {
        void done(@Nullable Topic topic, @Nullable TopicException why);
    }

    /** Creates the topic as topics are created on use; finding it there is fine. */
    public void create(TopicName name, Created created) {
        int n = creation.partitions();
        catalogue.getOrCreate(name, Math.max(1, n), n > 0, false).whenComplete((topic, failure) -> {
            if (failure == null) {
                created.done(topic, null);
            } else {
                created.done(null, reasonOf(failure));
            }
        });
    }

    /** The full name, with the partition's suffix if it has one. */
    public static String text(Parsed name) {
        return name.partition() < 0 ? name.topic().toString() : PulsarNames.ofPartition(name.topic(), name.partition());
    }

    private void openExisting(Parsed name, Reply reply) {
        switch (find(name)) {
            case Found.Missing m -> reply.failed(ServerError.TopicNotFound, "Topic " + text(name) + " not found");
            case Found.Partitioned p ->
                reply.failed(
                        ServerError.NotAllowedError,
                        "Topic " + name.topic() + " is partitioned: use its partitions, " + name.topic()
                                + "-partition-N");
            case Found.Partition p -> openServed(p, reply);
        }
    }

    private void openServed(Found.Partition p, Reply reply) {
        PartitionLog log = partitions.find(p.topic().partitions().get(Math.max(p.partition(), 0)));
        if (log == null) {
            reply.failed(ServerError.ServiceNotReady, "Topic " + p.topic().name() + " is not served here now");
        } else {
            reply.opened(new Opened(p.topic(), p.partition(), log));
        }
    }

    /** What the catalogue said; anything unexpected reads as unavailable. */
    public static TopicException reasonOf(Throwable failure) {
        Throwable cause =
                failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
        return cause instanceof TopicException t
                ? t
                : new TopicException(TopicException.Reason.UNAVAILABLE, "the topic catalogue is not available now");
    }

    public static String messageOf(TopicException why) {
        return why.getMessage() == null ? why.reason().name() : why.getMessage();
    }
}
