package io.sluice.kafka.coordinator;

import java.util.AbstractMap;
import java.util.AbstractSet;
import java.util.Iterator;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;
import org.apache.kafka.metadata.PartitionRegistration;
import org.jspecify.annotations.Nullable;

/**
 * A topic's partitions, all registered alike. Kafka's own map takes 200 bytes a partition, 13 KB for an elastic topic that nobody
 * has written to; this one has no size of its own.
 */
final class EqualPartitions extends AbstractMap<Integer, PartitionRegistration> {
    private final int count;
    private final PartitionRegistration each;

    EqualPartitions(int count, PartitionRegistration each) {
        this.count = count;
        this.each = each;
    }

    @Override
    public int size() {
        return count;
    }

    @Override
    public boolean containsKey(@Nullable Object key) {
        return key instanceof Integer partition && partition >= 0 && partition < count;
    }

    @Override
    public @Nullable PartitionRegistration get(@Nullable Object key) {
        return containsKey(key) ? each : null;
    }

    @Override
    public Set<Map.Entry<Integer, PartitionRegistration>> entrySet() {
        return new AbstractSet<>() {
            @Override
            public Iterator<Map.Entry<Integer, PartitionRegistration>> iterator() {
                return IntStream.range(0, count)
                        .mapToObj(partition -> Map.entry(partition, each))
                        .iterator();
            }

            @Override
            public int size() {
                return count;
            }
        };
    }
}
