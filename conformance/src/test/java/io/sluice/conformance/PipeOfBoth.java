package io.sluice.conformance;

import io.sluice.conformance.clients.PulsarClients;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.consumer.ConsumerGroupMetadata;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.StringSerializer;
import org.apache.pulsar.client.api.BatchReceivePolicy;
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.client.api.Message;
import org.apache.pulsar.client.api.MessageIdAdv;
import org.apache.pulsar.client.api.Messages;
import org.apache.pulsar.client.api.PulsarClient;
import org.apache.pulsar.client.api.PulsarClientException;
import org.apache.pulsar.client.api.Schema;
import org.apache.pulsar.client.api.SubscriptionInitialPosition;
import org.apache.pulsar.client.api.SubscriptionType;

/**
 * {@link PulsarPipe} over both protocols: consumes by a Pulsar client and produces by a Kafka client, whose transaction has the
 * results and the position of the subscription.
 *
 * <p>Usage: {@code PipeOfBoth URL BOOTSTRAP FROM TO NAME}, which is the subscription's, the consumer's and the transactional id.
 */
final class PipeOfBoth {
    private static final int MOST_IN_A_TURN = 20;

    private final PulsarClient client;
    private final String bootstrap;
    private final String from;
    private final String to;
    private final String name;
    private final ConsumerGroupMetadata group;
    private KafkaProducer<String, String> producer;
    private Consumer<String> consumer;

    /** First message of a partition that a turn has, and the one behind its last. */
    private record Part(long first, long next) {
        Part and(Part later) {
            return new Part(Math.min(first, later.first), Math.max(next, later.next));
        }
    }

    @SuppressWarnings("removal") // the group's only consumers are Pulsar's
    private PipeOfBoth(PulsarClient client, String bootstrap, String from, String to, String name)
            throws PulsarClientException {
        this.client = client;
        this.bootstrap = bootstrap;
        this.from = from;
        this.to = to;
        this.name = name;
        this.group = new ConsumerGroupMetadata("_sub." + from + "/" + name, 1, name, Optional.empty());
        this.producer = newProducer();
        this.consumer = subscribe();
    }

    public static void main(String[] arguments) throws PulsarClientException {
        PulsarClient client = PulsarClients.builder(arguments[0])
                .startingBackoffInterval(50, TimeUnit.MILLISECONDS)
                .maxBackoffInterval(200, TimeUnit.MILLISECONDS)
                .build();
        var pipe = new PipeOfBoth(client, arguments[1], arguments[2], arguments[3], arguments[4]);
        while (true) {
            Messages<String> messages = pipe.consumer.batchReceive();
            if (messages.size() > 0) {
                pipe.turn(messages);
            }
        }
    }

    /** Ends what an earlier producer has left open. */
    private KafkaProducer<String, String> newProducer() {
        Map<String, Object> settings =
                Map.of("bootstrap.servers", bootstrap, "transactional.id", name, "reconnect.backoff.max.ms", 200);
        var made = new KafkaProducer<>(settings, new StringSerializer(), new StringSerializer());
        made.initTransactions();
        return made;
    }

    private Consumer<String> subscribe() throws PulsarClientException {
        return client.newConsumer(Schema.STRING)
                .topic(from)
                .subscriptionName(name)
                .consumerName(name)
                .subscriptionType(SubscriptionType.Failover)
                .subscriptionInitialPosition(SubscriptionInitialPosition.Earliest)
                .batchReceivePolicy(BatchReceivePolicy.builder()
                        .maxNumMessages(MOST_IN_A_TURN)
                        .timeout(50, TimeUnit.MILLISECONDS)
                        .build())
                .subscribe();
    }

    /** What a turn that failed has read is read again. */
    private void turn(Messages<String> messages) throws PulsarClientException {
        try {
            transaction(messages);
        } catch (KafkaException e) {
            System.out.println("again: " + e);
            abort();
            consumer.close();
            consumer = subscribe();
        }
    }

    private void transaction(Messages<String> messages) {
        producer.beginTransaction();
        Map<TopicPartition, Part> parts = new HashMap<>();
        for (Message<String> message : messages) {
            var id = (MessageIdAdv) message.getMessageId();
            long offset = id.getEntryId() + Math.max(0, id.getBatchIndex());
            var partition = new TopicPartition(from, Math.max(0, id.getPartitionIndex()));
            Part had = parts.get(partition);
            if (had != null && offset < had.next) {
                continue; // the client connected again since it took the first ones, and was sent them once more
            }
            producer.send(new ProducerRecord<>(to, message.getKey(), message.getValue()));
            parts.merge(partition, new Part(offset, offset + 1), Part::and);
        }
        Map<TopicPartition, OffsetAndMetadata> offsets = new HashMap<>();
        parts.forEach(
                (partition, part) -> offsets.put(partition, new OffsetAndMetadata(part.next, "from=" + part.first)));
        producer.sendOffsetsToTransaction(offsets, group);
        producer.commitTransaction();
    }

    /** A producer that cannot even abort is given up for a new one, which ends the transaction. */
    private void abort() {
        try {
            producer.abortTransaction();
        } catch (KafkaException e) {
            System.out.println("a new producer: " + e);
            producer.close(Duration.ZERO);
            producer = newProducer();
        }
    }
}
