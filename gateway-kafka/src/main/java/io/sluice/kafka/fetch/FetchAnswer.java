package io.sluice.kafka.fetch;

import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.message.FetchResponseData.FetchableTopicResponse;
import org.apache.kafka.common.message.FetchResponseData.PartitionData;
import org.jspecify.annotations.Nullable;

/** Answer to one fetch: all partitions, or in an incremental session those of which there is news. */
final class FetchAnswer {
    private final FetchPlan plan;
    private final short version;
    private final FetchResponseData message;
    private final List<FetchPartition> gaveData = new ArrayList<>();
    private FetchPartition.@Nullable Key previous;
    private List<PartitionData> ofTopic = new ArrayList<>();

    FetchAnswer(FetchPlan plan, short version) {
        this.plan = plan;
        this.version = version;
        FetchSession session = plan.session();
        this.message = new FetchResponseData()
                .setErrorCode(plan.error().code())
                .setSessionId(session == null ? 0 : session.id());
    }

    void add(FetchPartition partition) {
        if (!partition.tell(!plan.incremental())) {
            return;
        }
        FetchPartition.Key key = partition.key();
        FetchPartition.Key last = previous;
        if (last == null
                || !last.topicId().equals(key.topicId())
                || !last.topic().equals(key.topic())) {
            ofTopic = new ArrayList<>();
            message.responses()
                    .add(new FetchableTopicResponse()
                            .setTopic(key.topic())
                            .setTopicId(key.topicId())
                            .setPartitions(ofTopic));
        }
        previous = key;
        ofTopic.add(partition.answer(version));
        if (partition.bytesFound() > 0) {
            gaveData.add(partition);
        }
    }

    /** In the order of the answer. */
    List<FetchPartition> gaveData() {
        return gaveData;
    }

    FetchResponseData message() {
        return message;
    }
}
