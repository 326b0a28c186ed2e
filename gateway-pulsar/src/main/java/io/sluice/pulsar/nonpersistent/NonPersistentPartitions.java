package io.sluice.pulsar.nonpersistent;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.sluice.broker.topic.RecordWatch;
import io.sluice.broker.topic.TopicName;
import io.sluice.store.cluster.Metadata;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * How many partitions non-persistent topics have: a record of the metadata store for each partitioned one, and all that is stored of them.
 * Kept in memory, and corrected when the store tells of a change by another node. What reads or writes the store blocks.
 */
public final class NonPersistentPartitions implements AutoCloseable {
    private static final String ROOT = "/sluice/pulsar/non-persistent";
    private static final int DEPTH = 3;

    private final Metadata metadata;
    private final Executor tasks;
    private final RecordWatch<TopicName> watch;
    private final Map<TopicName, Integer> byName = new ConcurrentHashMap<>();

    /** @param tasks runs what blocks, each on a (virtual) thread of its own */
    public NonPersistentPartitions(Metadata metadata, Executor tasks) {
        this.metadata = metadata;
        this.tasks = tasks;
        this.watch = new RecordWatch<>(
                metadata, ROOT, NonPersistentPartitions::nameAt, tasks, this::readAgain, this::knownNames);
    }

    private static String path(TopicName name) {
        return ROOT + '/' + name.tenant() + '/' + name.namespace() + '/' + URLEncoder.encode(name.local(), UTF_8);
    }

    /** Null for what is above the records. */
    private static @Nullable TopicName nameAt(String path) {
        String[] parts = path.substring(ROOT.length() + 1).split("/");
        return parts.length == DEPTH ? new TopicName(parts[0], parts[1], URLDecoder.decode(parts[2], UTF_8)) : null;
    }

    /** Before the gateway serves; blocks. */
    public void load() throws IOException {
        for (TopicName name : knownNames()) {
            read(name);
        }
        watch.start();
    }

    /** Hears of no more changes. */
    @Override
    public void close() {
        watch.close();
    }

    private Set<TopicName> knownNames() throws IOException {
        Set<TopicName> names = new HashSet<>(byName.keySet());
        for (String tenant : metadata.children(ROOT)) {
            for (String namespace : metadata.children(ROOT + '/' + tenant)) {
                for (String local : metadata.children(ROOT + '/' + tenant + '/' + namespace)) {
                    names.add(new TopicName(tenant, namespace, URLDecoder.decode(local, UTF_8)));
                }
            }
        }
        return names;
    }

    private boolean readAgain(TopicName name) throws IOException {
        read(name);
        return true;
    }

    /** As it is stored now; 0 if it is not partitioned. Blocks. */
    public synchronized int read(TopicName name) throws IOException {
        Metadata.Versioned there = metadata.get(path(name));
        int partitions = there == null ? 0 : decode(there.value());
        if (partitions == 0) {
            byName.remove(name);
        } else {
            byName.put(name, partitions);
        }
        return partitions;
    }

    private static int decode(byte[] value) {
        return Integer.parseInt(new String(value, US_ASCII).split(" ")[0]);
    }

    /** A value of its own for each change: whoever finds it stored after a failure knows that the change is this one. */
    private static byte[] encode(int partitions) {
        return (partitions + " " + UUID.randomUUID()).getBytes(US_ASCII);
    }

    /** 0 if it is not partitioned, as far as is known here. Any thread. */
    public int find(TopicName name) {
        return byName.getOrDefault(name, 0);
    }

    /** Partitioned topics of the namespace, sorted. Any thread. */
    public List<TopicName> in(String tenant, String namespace) {
        return byName.keySet().stream()
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
    public synchronized boolean create(TopicName name, int partitions) throws IOException {
        try {
            metadata.putOrFind(path(name), encode(partitions), Metadata.ABSENT);
        } catch (Metadata.VersionMismatch e) {
            read(name);
            return false;
        }
        byName.put(name, partitions);
        return true;
    }

    /** Raises the number; blocks. The number there is by then, which may be larger; 0 if it is not partitioned. */
    public synchronized int expand(TopicName name, int partitions) throws IOException {
        for (int attempt = 1; ; attempt++) {
            Metadata.Versioned there = metadata.get(path(name));
            int now = there == null ? 0 : decode(there.value());
            if (there == null || now >= partitions) {
                return now;
            }
            try {
                metadata.putOrFind(path(name), encode(partitions), there.version());
                byName.put(name, partitions);
                return partitions;
            } catch (Metadata.VersionMismatch e) {
                if (attempt == Metadata.ATTEMPTS) {
                    throw e;
                }
            }
        }
    }

    /** Blocks. */
    public synchronized void delete(TopicName name) throws IOException {
        metadata.deleteLast(path(name));
        byName.remove(name);
    }
}
