package io.sluice.perf;

import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import java.util.function.LongConsumer;
import org.apache.pulsar.client.admin.PulsarAdmin;
import org.apache.pulsar.client.api.BatcherBuilder;
import org.apache.pulsar.client.api.Producer;
import org.apache.pulsar.client.api.PulsarClient;
import org.apache.pulsar.client.api.SizeUnit;
import org.jspecify.annotations.Nullable;

/** Pulsar's Java client: batches to 128 KiB or 1 ms, 32 MiB in flight, one exclusive consumer. */
final class PulsarTarget implements Target {
    private final String httpUrl;
    private final PulsarClient client;
    private @Nullable Producer<byte[]> producer;
    private String topic = "";

    PulsarTarget(String serviceUrl, String httpUrl) throws Exception {
        this.httpUrl = httpUrl;
        client = PulsarClient.builder()
                .serviceUrl(serviceUrl)
                .memoryLimit(32, SizeUnit.MEGA_BYTES)
                .ioThreads(1)
                .listenerThreads(1)
                .build();
    }

    @Override
    public void open(String name, int partitions) throws Exception {
        topic = "persistent://public/default/" + name;
        if (partitions > 1) {
            try (PulsarAdmin admin =
                    PulsarAdmin.builder().serviceHttpUrl(httpUrl).build()) {
                admin.topics().createPartitionedTopic(topic, partitions);
            }
        }
        producer = client.newProducer()
                .topic(topic)
                .batchingMaxBytes(128 << 10)
                .batchingMaxMessages(10_000)
                .batchingMaxPublishDelay(1, TimeUnit.MILLISECONDS)
                .batcherBuilder(BatcherBuilder.DEFAULT)
                .maxPendingMessages(0)
                .blockIfQueueFull(true)
                .sendTimeout(0, TimeUnit.SECONDS)
                .create();
    }

    @Override
    public void send(byte[] key, byte[] value, Runnable acknowledged, java.util.function.Consumer<Throwable> failed) {
        java.util.Objects.requireNonNull(producer)
                .newMessage()
                .keyBytes(key)
                .value(value)
                .sendAsync()
                .whenComplete((id, error) -> {
                    if (error == null) {
                        acknowledged.run();
                    } else {
                        failed.accept(error);
                    }
                });
    }

    @Override
    public void consume(LongConsumer listener) {
        try {
            client.newConsumer()
                    .topic(topic)
                    .subscriptionName("load")
                    .receiverQueueSize(5_000)
                    .acknowledgmentGroupTime(100, TimeUnit.MILLISECONDS)
                    .subscriptionInitialPosition(org.apache.pulsar.client.api.SubscriptionInitialPosition.Earliest)
                    .messageListener((from, message) -> {
                        listener.accept(ByteBuffer.wrap(message.getValue()).getLong());
                        from.acknowledgeAsync(message);
                    })
                    .subscribe();
        } catch (org.apache.pulsar.client.api.PulsarClientException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void flush() throws Exception {
        java.util.Objects.requireNonNull(producer).flush();
    }

    @Override
    public void close() throws Exception {
        client.close();
    }
}
