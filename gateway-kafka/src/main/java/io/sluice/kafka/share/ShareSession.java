package io.sluice.kafka.share;

import io.sluice.kafka.api.ClientConnection;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.requests.ShareRequestMetadata;

/**
 * Share session of one member with this node: which partitions it fetches, and where it may have records in hand. It ends with its connection.
 * Under the lock of {@link ShareSessions}, where nothing else is said.
 */
final class ShareSession {
    private final Key key;
    private final ClientConnection connection;
    private final Set<Place> places = new LinkedHashSet<>();
    /** Where the member may have records in hand; at most one for a partition. */
    private final Map<ShareKey, SharePartition> touched = new ConcurrentHashMap<>(4);

    private int epoch = ShareRequestMetadata.nextEpoch(ShareRequestMetadata.INITIAL_EPOCH);
    private int turn;

    /** A member of a group. */
    record Key(String group, String member) {}

    /** A partition of a topic. */
    record Place(Uuid topicId, int partition) {}

    ShareSession(Key key, ClientConnection connection) {
        this.key = key;
        this.connection = connection;
    }

    /** Any thread. */
    Key key() {
        return key;
    }

    boolean isConnected() {
        return connection.isOpen();
    }

    int epoch() {
        return epoch;
    }

    void advance() {
        epoch = ShareRequestMetadata.nextEpoch(epoch);
    }

    void add(Collection<Place> more) {
        places.addAll(more);
    }

    void remove(Collection<Place> fewer) {
        fewer.forEach(places::remove);
    }

    int size() {
        return places.size();
    }

    /** All partitions; each time another one is the first. */
    List<Place> inTurn() {
        List<Place> all = new ArrayList<>(places);
        if (!all.isEmpty()) {
            Collections.rotate(all, -(turn % all.size()));
            turn = turn == Integer.MAX_VALUE ? 0 : turn + 1;
        }
        return all;
    }

    /** The member may have records in hand there. Any thread. */
    void touch(SharePartition partition) {
        touched.put(partition.key(), partition);
    }

    /** Any thread. */
    Collection<SharePartition> touched() {
        return touched.values();
    }
}
