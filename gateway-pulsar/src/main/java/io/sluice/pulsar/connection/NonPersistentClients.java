package io.sluice.pulsar.connection;

import io.netty.util.collection.LongObjectHashMap;
import io.sluice.broker.topic.TopicName;
import io.sluice.pulsar.dispatch.Consumer;
import io.sluice.pulsar.dispatch.NonPersistentMessage;
import io.sluice.pulsar.nonpersistent.NonPersistentTopic;
import io.sluice.pulsar.producer.ProducerSession;
import java.util.List;
import java.util.function.BiPredicate;
import java.util.function.Predicate;
import org.apache.pulsar.common.api.proto.CommandTopicMigrated.ResourceType;
import org.apache.pulsar.common.api.proto.ServerError;
import org.apache.pulsar.common.protocol.Commands;
import org.jspecify.annotations.Nullable;

/**
 * Producers and consumers of non-persistent topics that a client has opened on its connection, by the ids that it chose; an id is that of one
 * of these or of one of {@link Attachments}. Event loop only.
 */
public final class NonPersistentClients {
    private final Outbound out;
    private final CountedConsumers counted;
    private final Redirects redirects;
    private final LongObjectHashMap<Producer> producers = new LongObjectHashMap<>(1);
    private final LongObjectHashMap<Reading> consumers = new LongObjectHashMap<>(1);

    NonPersistentClients(Outbound out, CountedConsumers counted, Redirects redirects) {
        this.out = out;
        this.redirects = redirects;
        this.counted = counted;
    }

    /**
     * A producer.
     *
     * @param told what its client was told; null while it waits for its turn
     */
    public record Producer(ProducerSession session, NonPersistentTopic topic, ClientProducer.@Nullable Told told) {
        void leave() {
            topic.remove(session);
        }
    }

    /** A consumer. */
    public record Reading(Consumer consumer, NonPersistentTopic topic, String subscription) {
        void leave() {
            topic.remove(subscription, consumer);
        }

        public TopicName topicName() {
            return topic.name().topic();
        }
    }

    public @Nullable Producer producer(long id) {
        return producers.get(id);
    }

    public @Nullable Reading consumer(long id) {
        return consumers.get(id);
    }

    public void put(Producer producer) {
        producers.put(producer.session().id(), producer);
    }

    public void put(Reading consumer) {
        consumers.put(consumer.consumer().id(), consumer);
    }

    /** Hands a message out and answers its producer, who gets no answer if it was sent away: its client has been told. */
    public void publish(Producer producer, NonPersistentMessage message, long first, long last) {
        long id = producer.session().id();
        if (producer.topic().publish(producer.session(), message)) {
            out.gather(Commands.newSendReceiptCommand(
                    id, first, last, NonPersistentMessage.LEDGER, NonPersistentMessage.ENTRY));
        }
    }

    /** A message that is not taken. */
    public void refuse(Producer producer, long last, ServerError error, String message) {
        out.gather(Commands.newSendErrorCommand(producer.session().id(), last, error, message));
    }

    /** Takes the producer off its topic, if there is one of the id. */
    public void removeProducer(long id) {
        Producer gone = producers.remove(id);
        if (gone != null) {
            gone.leave();
        }
    }

    /** Takes the consumer off its topic, if there is one of the id. */
    public void removeConsumer(long id) {
        Reading gone = consumers.remove(id);
        if (gone != null) {
            counted.close(id);
            gone.leave();
        }
    }

    /** The topic has sent the producer away. */
    void closed(ProducerSession session) {
        Producer there = producers.get(session.id());
        if (there != null && there.session() == session) {
            producers.remove(session.id());
            out.write(Commands.newCloseProducer(session.id(), -1, null, null));
        }
    }

    /** The topic has sent the consumer away. */
    void closed(Consumer consumer) {
        if (has(consumer)) {
            consumers.remove(consumer.id());
            counted.close(consumer.id());
            out.write(Commands.newCloseConsumer(consumer.id(), -1, null, null));
        }
    }

    /** The topic has migrated, and the producer's client goes after it. */
    void migrated(ProducerSession session) {
        Producer there = producers.get(session.id());
        if (there != null && there.session() == session) {
            redirects.tell(
                    ResourceType.Producer, session.id(), there.topic().name().topic());
            closed(session);
        }
    }

    /** The same of a consumer. */
    void migrated(Consumer consumer) {
        Reading there = consumers.get(consumer.id());
        if (there != null && there.consumer() == consumer) {
            redirects.tell(ResourceType.Consumer, consumer.id(), there.topicName());
            closed(consumer);
        }
    }

    boolean has(Consumer consumer) {
        Reading there = consumers.get(consumer.id());
        return there != null && there.consumer() == consumer;
    }

    /** Whether all topics written to, and read from by these subscriptions, may still be. */
    boolean areAllowed(Predicate<TopicName> writing, BiPredicate<TopicName, String> reading) {
        return producers.values().stream()
                        .allMatch(each -> writing.test(each.topic().name().topic()))
                && consumers.values().stream().allMatch(each -> reading.test(each.topicName(), each.subscription()));
    }

    /** The connection is gone. */
    void close() {
        List.copyOf(producers.values()).forEach(Producer::leave);
        List.copyOf(consumers.values()).forEach(Reading::leave);
        producers.clear();
        consumers.clear();
    }
}
