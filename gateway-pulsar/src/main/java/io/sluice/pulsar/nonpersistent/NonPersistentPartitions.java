package io.sluice.pulsar.nonpersistent;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.sluice.broker.topic.TopicName;
import io.sluice.pulsar.namespace.TopicRecords;
import io.sluice.store.cluster.Metadata;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Comparator;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/** How many partitions non-persistent topics have: a record for each partitioned one. What reads or writes the store blocks. */
public final class NonPersistentPartitions implements AutoCloseable {
    private static final String ROOT = "/sluice/pulsar/non-persistent";

    private final Executor tasks;
    private final TopicRecords<Integer> records;

    /** @param tasks runs what blocks, each on a (virtual) thread of its own */
    public NonPersistentPartitions(Metadata metadata, Executor tasks) {
        this.tasks = tasks;
        this.records = new TopicRecords<>(metadata, ROOT, new Stored(), tasks);
    }

    /** A value of its own for each change: whoever finds it stored after a failure knows that the change is this one. */
    private static final class Stored implements TopicRecords.Form<Integer> {
        @Override
        public byte[] write(Integer partitions) {
            return (partitions + " " + UUID.randomUUID()).getBytes(US_ASCII);
        }

        @Override
        public Integer read(byte[] stored) {
            return Integer.parseInt(new String(stored, US_ASCII).split(" ")[0]);
        }
    }

    /** Before the gateway serves; blocks. */
    public void load() throws IOException {
        records.load();
    }

    /** Hears of no more changes. */
    @Override
    public void close() {
        records.close();
    }

    private static int orNone(@Nullable Integer partitions) {
        return partitions == null ? 0 : partitions;
    }

    /** As it is stored now; 0 if it is not partitioned. Blocks. */
    public int read(TopicName name) throws IOException {
        return orNone(records.read(name));
    }

    /** 0 if it is not partitioned, as far as is known here. Any thread. */
    public int find(TopicName name) {
        return orNone(records.find(name));
    }

    /** Partitioned topics of the namespace, sorted. Any thread. */
    public List<TopicName> in(String tenant, String namespace) {
        return records.names().stream()
                .filter(each -> each.isIn(tenant, namespace))
                .sorted(Comparator.comparing(TopicName::local))
                .toList();
    }

    /** Reads the store, or gives what is known if that does not answer; without blocking. */
    public CompletableFuture<Integer> readSoon(TopicName name) {
        return CompletableFuture.supplyAsync(
                () -> {
                    try {
                        return read(name);
                    } catch (IOException e) {
                        return find(name);
                    }
                },
                tasks);
    }

    /** Makes the topic partitioned if it is not, and gives the number that it has; without blocking. Fails if the store does not answer. */
    public CompletableFuture<Integer> createSoon(TopicName name, int partitions) {
        return CompletableFuture.supplyAsync(
                () -> {
                    try {
                        create(name, partitions);
                        return find(name);
                    } catch (IOException e) {
                        throw new UncheckedIOException(e);
                    }
                },
                tasks);
    }

    /** Blocks; false if it has partitions already. */
    public boolean create(TopicName name, int partitions) throws IOException {
        return records.create(name, partitions);
    }

    /** Raises the number; blocks. The number there is by then, which may be larger; 0 if it is not partitioned. */
    public int expand(TopicName name, int partitions) throws IOException {
        return orNone(records.change(name, null, now -> Math.max(now, partitions)));
    }

    /** Blocks. */
    public void delete(TopicName name) throws IOException {
        records.delete(name);
    }
}
