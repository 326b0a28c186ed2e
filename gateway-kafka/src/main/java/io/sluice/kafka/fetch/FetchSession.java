package io.sluice.kafka.fetch;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.requests.FetchMetadata;

/** Incremental fetch session of a client (KIP-227): its requests name only the partitions that changed. Guarded by {@link FetchSessions}. */
final class FetchSession {
    private final int id;
    private final boolean topicIds;
    private final LinkedHashMap<FetchPartition.Key, FetchPartition> partitions = new LinkedHashMap<>();
    private int epoch = FetchMetadata.INITIAL_EPOCH;
    private boolean busy;
    private long lastUsed;

    FetchSession(int id, boolean topicIds) {
        this.id = id;
        this.topicIds = topicIds;
    }

    int id() {
        return id;
    }

    boolean usesTopicIds() {
        return topicIds;
    }

    int size() {
        return partitions.size();
    }

    long lastUsed() {
        return lastUsed;
    }

    boolean isBusy() {
        return busy;
    }

    /** A request of epoch {@link #expectedEpoch} begins. */
    void begin(long now) {
        busy = true;
        lastUsed = now;
        epoch = FetchMetadata.nextEpoch(epoch);
    }

    void end() {
        busy = false;
    }

    int expectedEpoch() {
        return epoch;
    }

    void update(FetchRequestData request) {
        for (FetchRequestData.FetchTopic topic : request.topics()) {
            for (FetchRequestData.FetchPartition asked : topic.partitions()) {
                partitions
                        .computeIfAbsent(key(topic.topic(), topic.topicId(), asked.partition()), FetchPartition::new)
                        .ask(asked);
            }
        }
        for (FetchRequestData.ForgottenTopic topic : request.forgottenTopicsData()) {
            for (int partition : topic.partitions()) {
                partitions.remove(key(topic.topic(), topic.topicId(), partition));
            }
        }
    }

    private FetchPartition.Key key(String topic, Uuid id, int partition) {
        return topicIds
                ? new FetchPartition.Key("", id, partition)
                : new FetchPartition.Key(topic, Uuid.ZERO_UUID, partition);
    }

    List<FetchPartition> inOrder() {
        return new ArrayList<>(partitions.values());
    }

    /** Partitions that gave data go to the end, so that none starves under the response's size limit. */
    void moveToEnd(FetchPartition partition) {
        if (partitions.remove(partition.key()) != null) {
            partitions.put(partition.key(), partition);
        }
    }
}
