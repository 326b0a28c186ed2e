package io.sluice.perf.cleaning;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.admin.LogDirDescription;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;

/** A topic with {@code cleanup.policy=compact} that is filled first and compacted when that is allowed. */
final class CompactedTopic implements AutoCloseable {
    private static final String NAME = "compacted";
    private static final String HELD = Long.toString(TimeUnit.DAYS.toMillis(1));

    private final String bootstrap;
    private final Admin admin;

    CompactedTopic(String bootstrap, int partitions) throws Exception {
        this.bootstrap = bootstrap;
        this.admin = Admin.create(Map.of("bootstrap.servers", bootstrap));
        admin.createTopics(List.of(new NewTopic(NAME, partitions, (short) 1)
                        .configs(Map.of(
                                "cleanup.policy",
                                "compact",
                                "min.compaction.lag.ms",
                                HELD,
                                "min.cleanable.dirty.ratio",
                                "0.01",
                                "segment.bytes",
                                Integer.toString(64 << 20)))))
                .all()
                .get(1, TimeUnit.MINUTES);
    }

    /** Writes records whose keys are random ones of so many; as fast as it goes. */
    void fill(long records, int keys, int size) {
        Random random = new Random(1);
        byte[] noise = new byte[(1 << 20) + size];
        random.nextBytes(noise);
        AtomicReference<@Nullable Exception> failure = new AtomicReference<>();
        Map<String, Object> settings = Map.of("bootstrap.servers", bootstrap, "linger.ms", 5, "batch.size", 128 << 10);
        try (var producer = new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer())) {
            for (long i = 0; i < records && failure.get() == null; i++) {
                // each key once first, so that there are as many as were asked for
                int key = i < keys ? (int) i : random.nextInt(keys);
                byte[] value = new byte[size];
                System.arraycopy(noise, random.nextInt(1 << 20), value, 0, size);
                producer.send(
                        new ProducerRecord<>(
                                NAME, ByteBuffer.allocate(4).putInt(key).array(), value),
                        (metadata, e) -> {
                            if (e != null) {
                                failure.compareAndSet(null, e);
                            }
                        });
            }
        }
        Exception failed = failure.get();
        if (failed != null) {
            throw new IllegalStateException("the topic could not be filled: " + failed.getMessage(), failed);
        }
    }

    /** From now on it may be compacted. */
    void allow() throws Exception {
        admin.incrementalAlterConfigs(Map.of(
                        new ConfigResource(ConfigResource.Type.TOPIC, NAME),
                        List.of(new AlterConfigOp(
                                new ConfigEntry("min.compaction.lag.ms", "0"), AlterConfigOp.OpType.SET))))
                .all()
                .get(1, TimeUnit.MINUTES);
    }

    /** Stored bytes, as the server's log directories say. */
    long bytes() throws Exception {
        List<Integer> brokers = new ArrayList<>();
        admin.describeCluster().nodes().get(1, TimeUnit.MINUTES).forEach(node -> brokers.add(node.id()));
        long bytes = 0;
        for (Map<String, LogDirDescription> folders : admin.describeLogDirs(brokers)
                .allDescriptions()
                .get(1, TimeUnit.MINUTES)
                .values()) {
            bytes += folders.values().stream()
                    .flatMap(folder -> folder.replicaInfos().entrySet().stream())
                    .filter(replica -> replica.getKey().topic().equals(NAME))
                    .mapToLong(replica -> replica.getValue().size())
                    .sum();
        }
        return bytes;
    }

    @Override
    public void close() {
        admin.close();
    }
}
