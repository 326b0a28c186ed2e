package io.sluice.perf.driver;

import io.sluice.perf.workload.Batching;
import io.sluice.perf.workload.Sharing;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.LongConsumer;
import org.apache.pulsar.client.admin.PulsarAdmin;
import org.apache.pulsar.client.api.Producer;
import org.apache.pulsar.client.api.PulsarClient;
import org.apache.pulsar.client.api.SizeUnit;
import org.apache.pulsar.client.api.SubscriptionInitialPosition;
import org.apache.pulsar.client.api.SubscriptionType;
import org.apache.pulsar.client.api.TypedMessageBuilder;
import org.jspecify.annotations.Nullable;

/**
 * Pulsar's Java client, set up as in StreamNative's report of 2020: four I/O threads, 16 connections, receiver queues of 5,000 messages
 * and 5,000,000 over all partitions. Consumers alone are exclusive, others failover, shared or
 * key-shared.
 */
final class PulsarTarget implements Target {
    private static final int IO_THREADS = 4;
    private static final int CONNECTIONS = 16;
    private static final int RECEIVER_QUEUE = 5_000;
    private static final int RECEIVER_QUEUES = 5_000_000;

    private final String httpUrl;
    private final PulsarClient client;

    PulsarTarget(String serviceUrl, String httpUrl) throws Exception {
        this.httpUrl = httpUrl;
        client = PulsarClient.builder()
                .serviceUrl(serviceUrl)
                // the driver limits what is in flight
                .memoryLimit(0, SizeUnit.BYTES)
                .ioThreads(IO_THREADS)
                .connectionsPerBroker(CONNECTIONS)
                .listenerThreads(Runtime.getRuntime().availableProcessors())
                .build();
    }

    @Override
    public Map<String, String> clientSettings() {
        return Map.of(
                "client",
                "pulsar-client, 32 MiB of payload in flight per producer, %d I/O threads, %d connections, receiver queue %,d, %,d over all"
                        .formatted(IO_THREADS, CONNECTIONS, RECEIVER_QUEUE, RECEIVER_QUEUES));
    }

    @Override
    public void createTopics(List<String> topics, int partitions) throws Exception {
        try (PulsarAdmin admin = PulsarAdmin.builder().serviceHttpUrl(httpUrl).build()) {
            for (String topic : topics) {
                if (partitions > 1) {
                    admin.topics().createPartitionedTopic(full(topic), partitions);
                } else {
                    admin.topics().createNonPartitionedTopic(full(topic));
                }
            }
        }
    }

    private static String full(String topic) {
        return "persistent://public/default/" + topic;
    }

    @Override
    public Sender producer(String topic, Batching batching) throws Exception {
        var builder = client.newProducer();
        if (batching == Batching.NONE) {
            builder.enableBatching(false);
        } else {
            builder.batchingMaxBytes(batching.bytes())
                    .batchingMaxMessages(Integer.MAX_VALUE)
                    .batchingMaxPublishDelay(batching.millis(), TimeUnit.MILLISECONDS);
        }
        return new PulsarSender(builder.topic(full(topic))
                .maxPendingMessages(0)
                .blockIfQueueFull(true)
                .sendTimeout(0, TimeUnit.SECONDS)
                .create());
    }

    private record PulsarSender(Producer<byte[]> producer) implements Sender {
        @Override
        public void send(
                byte @Nullable [] key,
                byte[] value,
                Runnable acknowledged,
                java.util.function.Consumer<Throwable> failed) {
            TypedMessageBuilder<byte[]> message = producer.newMessage().value(value);
            if (key != null) {
                message.keyBytes(key);
            }
            message.sendAsync().whenComplete((id, error) -> {
                if (error == null) {
                    acknowledged.run();
                } else {
                    failed.accept(error);
                }
            });
        }

        @Override
        public void flush() throws Exception {
            producer.flush();
        }
    }

    @Override
    public void consume(String topic, String subscription, boolean alone, Sharing sharing, LongConsumer each)
            throws Exception {
        client.newConsumer()
                .topic(full(topic))
                .subscriptionName(subscription)
                .subscriptionType(type(alone, sharing))
                .receiverQueueSize(RECEIVER_QUEUE)
                .maxTotalReceiverQueueSizeAcrossPartitions(RECEIVER_QUEUES)
                .acknowledgmentGroupTime(100, TimeUnit.MILLISECONDS)
                .subscriptionInitialPosition(SubscriptionInitialPosition.Earliest)
                .messageListener((from, message) -> {
                    each.accept(ByteBuffer.wrap(message.getValue()).getLong());
                    from.acknowledgeAsync(message);
                })
                .subscribe();
    }

    private static SubscriptionType type(boolean alone, Sharing sharing) {
        return switch (sharing) {
            case PARTITIONS -> alone ? SubscriptionType.Exclusive : SubscriptionType.Failover;
            case MESSAGES -> SubscriptionType.Shared;
            case KEYS -> SubscriptionType.Key_Shared;
        };
    }

    @Override
    public void close() throws Exception {
        client.close();
    }
}
