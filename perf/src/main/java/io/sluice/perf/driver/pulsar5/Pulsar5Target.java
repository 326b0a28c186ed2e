package io.sluice.perf.driver.pulsar5;

import io.sluice.perf.driver.Target;
import io.sluice.perf.workload.Batching;
import io.sluice.perf.workload.Sharing;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Semaphore;
import java.util.function.LongConsumer;
import org.apache.pulsar.client.api.v5.Message;
import org.apache.pulsar.client.api.v5.MessageId;
import org.apache.pulsar.client.api.v5.Producer;
import org.apache.pulsar.client.api.v5.PulsarClient;
import org.apache.pulsar.client.api.v5.PulsarClientException;
import org.apache.pulsar.client.api.v5.StreamConsumer;
import org.apache.pulsar.client.api.v5.config.SubscriptionInitialPosition;
import org.apache.pulsar.client.api.v5.schema.Schema;
import org.jspecify.annotations.Nullable;

/** Pulsar 5's Java client: topics are scalable and begin with one segment each; a subscription is read by stream consumers. */
public final class Pulsar5Target implements Target {
    private static final int TIMEOUT_MILLIS = 30_000;
    private static final int NO_CONTENT = 204;
    /** The client has no limit of its own that holds across segments. */
    private static final int MOST_IN_FLIGHT = 2_000;

    private final String http;
    private final PulsarClient client;
    private final List<Producer<byte[]>> producers = new ArrayList<>();
    private final List<Reading> readings = new ArrayList<>();

    /** @param address {@code HOST:PORT} of the binary protocol, a blank, and the URL of the admin interface */
    public Pulsar5Target(String address) throws PulsarClientException {
        int blank = address.indexOf(' ');
        http = address.substring(blank + 1);
        client = PulsarClient.builder()
                .serviceUrl("pulsar://" + address.substring(0, blank))
                .build();
    }

    @Override
    public Map<String, String> clientSettings() {
        return Map.of(
                "client",
                "pulsar-client-v5, batches as shipped, " + MOST_IN_FLIGHT + " messages in flight, stream consumers");
    }

    @Override
    public void createTopics(List<String> topics, int partitions) throws IOException {
        for (String topic : topics) {
            var connection = (HttpURLConnection)
                    URI.create(http + "/admin/v2/scalable/public/default/" + topic + "?numInitialSegments=1")
                            .toURL()
                            .openConnection();
            connection.setRequestMethod("PUT");
            connection.setConnectTimeout(TIMEOUT_MILLIS);
            connection.setReadTimeout(TIMEOUT_MILLIS);
            int status = connection.getResponseCode();
            connection.disconnect();
            if (status != HttpURLConnection.HTTP_OK && status != NO_CONTENT) {
                throw new IOException("creating topic://public/default/" + topic + " answers " + status);
            }
        }
    }

    private static String full(String topic) {
        return "topic://public/default/" + topic;
    }

    @Override
    public Sender producer(String topic, Batching batching) throws PulsarClientException {
        if (batching != Batching.STANDARD) {
            throw new IllegalArgumentException("Pulsar 5's client batches as shipped, not %s".formatted(batching));
        }
        Producer<byte[]> producer =
                client.newProducer(Schema.bytes()).topic(full(topic)).create();
        producers.add(producer);
        return new Pulsar5Sender(producer, new Semaphore(MOST_IN_FLIGHT));
    }

    private record Pulsar5Sender(Producer<byte[]> producer, Semaphore room) implements Sender {
        @Override
        public void send(
                byte @Nullable [] key,
                byte[] value,
                Runnable acknowledged,
                java.util.function.Consumer<Throwable> failed) {
            room.acquireUninterruptibly();
            var message = producer.async().newMessage().value(value);
            if (key != null) {
                message.key(new String(key, StandardCharsets.UTF_8));
            }
            message.send().whenComplete((id, error) -> {
                room.release();
                if (error == null) {
                    acknowledged.run();
                } else {
                    failed.accept(error);
                }
            });
        }

        @Override
        public void flush() {
            producer.async().flush().join();
        }
    }

    @Override
    public void consume(String topic, String subscription, boolean alone, Sharing sharing, LongConsumer each)
            throws PulsarClientException {
        Target.sharesPartitions(sharing);
        StreamConsumer<byte[]> consumer = client.newStreamConsumer(Schema.bytes())
                .topic(full(topic))
                .subscriptionName(subscription)
                .subscriptionInitialPosition(SubscriptionInitialPosition.EARLIEST)
                .subscribe();
        var reading = new Reading(consumer, each);
        readings.add(reading);
        reading.thread.start();
    }

    private static final class Reading {
        private static final Duration LOOK = Duration.ofMillis(200);
        private static final int ACKNOWLEDGE_EVERY = 1_000;

        private final StreamConsumer<byte[]> consumer;
        private final LongConsumer each;
        private final Thread thread = Thread.ofPlatform().name("consumer").unstarted(this::run);
        private volatile boolean stopping;

        Reading(StreamConsumer<byte[]> consumer, LongConsumer each) {
            this.consumer = consumer;
            this.each = each;
        }

        /** Where a segment ends the next ones wait until all of it is acknowledged, so that is done at each pause, too. */
        private void run() {
            try (consumer) {
                MessageId last = null;
                for (int n = 1; !stopping; n++) {
                    Message<byte[]> message = consumer.receive(LOOK);
                    if (message != null) {
                        each.accept(ByteBuffer.wrap(message.value()).getLong());
                        last = message.id();
                    }
                    if (last != null && (message == null || n % ACKNOWLEDGE_EVERY == 0)) {
                        consumer.acknowledgeCumulative(last);
                        last = null;
                    }
                }
            } catch (IOException e) {
                // What it does not read is missed, and the count says so.
            }
        }
    }

    @Override
    public void close() throws Exception {
        for (Reading reading : readings) {
            reading.stopping = true;
            reading.thread.join();
        }
        for (Producer<byte[]> producer : producers) {
            producer.close();
        }
        client.close();
    }
}
