package io.sluice.perf.driver.pravega;

import io.pravega.client.ClientConfig;
import io.pravega.client.EventStreamClientFactory;
import io.pravega.client.admin.ReaderGroupManager;
import io.pravega.client.admin.StreamManager;
import io.pravega.client.stream.EventWriterConfig;
import io.pravega.client.stream.ReaderConfig;
import io.pravega.client.stream.ReaderGroupConfig;
import io.pravega.client.stream.ScalingPolicy;
import io.pravega.client.stream.Stream;
import io.pravega.client.stream.StreamConfiguration;
import io.pravega.client.stream.impl.ByteArraySerializer;
import io.sluice.perf.driver.Target;
import io.sluice.perf.workload.Batching;
import io.sluice.perf.workload.Sharing;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.LongConsumer;

/**
 * Pravega's Java client: a topic is a stream with as many segments as it has partitions, which never scales; a subscription
 * is a reader group.
 */
public final class PravegaTarget implements Target {
    private static final String SCOPE = "perf";
    private static final Duration ENDS_WITHIN = Duration.ofSeconds(10);

    private final ClientConfig settings;
    private final EventStreamClientFactory clients;
    private final List<PravegaSender> senders = new ArrayList<>();
    private final List<PravegaReading> readings = new ArrayList<>();
    private final Set<String> groups = new HashSet<>();

    /** @param controller its {@code HOST:PORT} */
    public PravegaTarget(String controller) {
        settings = ClientConfig.builder()
                .controllerURI(URI.create("tcp://" + controller))
                .build();
        clients = EventStreamClientFactory.withScope(SCOPE, settings);
    }

    @Override
    public Map<String, String> clientSettings() {
        return Map.of(
                "client",
                "pravega-client, batches as shipped (by what was acknowledged lately, no setting), 32 MiB of payload in"
                        + " flight per writer, reader buffers as shipped");
    }

    @Override
    public void createTopics(List<String> topics, int partitions) {
        try (StreamManager streams = StreamManager.create(settings)) {
            streams.createScope(SCOPE);
            var fixed = StreamConfiguration.builder()
                    .scalingPolicy(ScalingPolicy.fixed(partitions))
                    .build();
            for (String topic : topics) {
                streams.createStream(SCOPE, topic, fixed);
            }
        }
    }

    @Override
    public Sender producer(String topic, Batching batching) {
        if (batching != Batching.STANDARD) {
            throw new IllegalArgumentException("Pravega's client batches as shipped, not %s".formatted(batching));
        }
        var sender = new PravegaSender(clients.createEventWriter(
                topic, new ByteArraySerializer(), EventWriterConfig.builder().build()));
        senders.add(sender);
        return sender;
    }

    @Override
    public void consume(String topic, String subscription, boolean alone, Sharing sharing, LongConsumer each) {
        Target.sharesPartitions(sharing);
        String group = topic + "-" + subscription;
        if (groups.add(group)) {
            createGroup(group, topic);
        }
        String name = "reader-" + readings.size();
        var reading = new PravegaReading(
                clients.createReader(
                        name,
                        group,
                        new ByteArraySerializer(),
                        ReaderConfig.builder().build()),
                each);
        readings.add(reading);
        reading.start();
    }

    private void createGroup(String group, String topic) {
        try (ReaderGroupManager manager = ReaderGroupManager.withScope(SCOPE, settings)) {
            manager.createReaderGroup(
                    group,
                    ReaderGroupConfig.builder().stream(Stream.of(SCOPE, topic)).build());
        }
    }

    /** Readers, writers, and then what they share, each for a limited time: a server may be gone. */
    @Override
    public void close() throws InterruptedException {
        readings.forEach(PravegaReading::stop);
        senders.forEach(PravegaSender::end);
        try {
            long end = System.nanoTime() + ENDS_WITHIN.toNanos();
            for (PravegaReading reading : readings) {
                reading.join(Duration.ofNanos(Math.max(0, end - System.nanoTime())));
            }
            Thread closing =
                    Thread.ofPlatform().daemon().name("close").start(() -> senders.forEach(PravegaSender::close));
            if (!closing.join(ENDS_WITHIN)) {
                senders.forEach(PravegaSender::interrupt);
                closing.interrupt();
            }
        } finally {
            clients.close();
        }
    }
}
