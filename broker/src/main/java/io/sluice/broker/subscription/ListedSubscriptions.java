package io.sluice.broker.subscription;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Names of the durable subscriptions in first partitions of topics that are open here, for lists over all topics: no partition is asked, and
 * those without subscriptions cost nothing. Any thread.
 */
public final class ListedSubscriptions {
    private final Set<Partition> partitions = ConcurrentHashMap.newKeySet();

    /**
     * A subscription of a topic.
     *
     * @param topic whose subscription it is: of a partition's own topic, or of a shadow topic that has its messages
     * @param segment that its first partition is appended to; of a partition that moves both places may be listed
     * @param isRead whether it has consumers in that partition
     */
    public record Listed(UUID topic, long segment, String name, boolean isRead) {}

    /** Subscriptions, in no order; the server's own are not among them. */
    public List<Listed> all() {
        List<Listed> all = new ArrayList<>();
        for (Partition each : partitions) {
            each.cursors.forEach((stored, cursor) -> {
                if (!Subscriptions.isInternal(stored)) {
                    ShadowSubscription shadow = ShadowSubscription.parse(stored);
                    UUID topic = shadow == null ? each.topic : shadow.topic();
                    all.add(new Listed(topic, each.segment, cursor.name(), cursor.isRead()));
                }
            });
        }
        return all;
    }

    /** A partition that opens; null unless it is the first of its topic. */
    public @Nullable Partition open(UUID topic, int partition, long segment) {
        return partition == 0 ? new Partition(topic, segment) : null;
    }

    /** Subscriptions of one partition in one term of its container; changed on that container's loop. */
    public final class Partition {
        private final UUID topic;
        private final long segment;
        private final Map<String, Cursor> cursors = new ConcurrentHashMap<>(4);

        private Partition(UUID topic, long segment) {
            this.topic = topic;
            this.segment = segment;
        }

        void add(String stored, Cursor cursor) {
            cursors.put(stored, cursor);
            partitions.add(this);
        }

        void remove(String stored) {
            cursors.remove(stored);
            if (cursors.isEmpty()) {
                partitions.remove(this);
            }
        }

        void close() {
            partitions.remove(this);
            cursors.clear();
        }
    }
}
