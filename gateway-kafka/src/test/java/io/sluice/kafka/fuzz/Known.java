package io.sluice.kafka.fuzz;

import io.sluice.broker.TestBroker;
import io.sluice.broker.topic.Topic;
import io.sluice.broker.topic.TopicName;
import io.sluice.kafka.api.KafkaServices;
import java.util.Random;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.ConsumerGroupHeartbeatResponseData;
import org.apache.kafka.common.message.EndTxnResponseData;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.message.InitProducerIdResponseData;
import org.apache.kafka.common.message.JoinGroupResponseData;
import org.apache.kafka.common.protocol.ApiMessage;

/** What a client of one sequence knows: names that exist, and what the answers told it. */
final class Known {
    static final int TOPICS = 6;
    static final int GROUPS = 4;
    /** Topics from here on are deleted and made anew. */
    static final int FIRST_DELETED = 4;

    private final TestBroker broker;
    /** The one of this sequence, mostly. */
    final String group;

    String memberId = "";
    int generation = -1;
    int fetchSession;
    int fetchEpoch;
    long producerId = -1;
    short producerEpoch = -1;
    int sequence;

    Known(TestBroker broker, Random random) {
        this.broker = broker;
        this.group = group(random);
    }

    static String topic(Random random) {
        return "t" + random.nextInt(TOPICS);
    }

    static String deletedTopic(Random random) {
        return "t" + (FIRST_DELETED + random.nextInt(TOPICS - FIRST_DELETED));
    }

    static String group(Random random) {
        return "g" + random.nextInt(GROUPS);
    }

    Uuid idOf(String topic) {
        Topic found = broker.catalogue().find(TopicName.ofDefault(topic));
        return found == null ? new Uuid(1, 2) : KafkaServices.kafkaId(found);
    }

    void learn(ApiMessage answer) {
        switch (answer) {
            case JoinGroupResponseData joined -> {
                memberId = joined.memberId().isEmpty() ? memberId : joined.memberId();
                generation = joined.generationId();
            }
            case ConsumerGroupHeartbeatResponseData beat
            when beat.memberId() != null -> {
                memberId = beat.memberId();
                generation = beat.memberEpoch();
            }
            case FetchResponseData fetched
            when fetched.sessionId() != 0 -> {
                fetchEpoch = fetched.sessionId() == fetchSession ? fetchEpoch + 1 : 1;
                fetchSession = fetched.sessionId();
            }
            case InitProducerIdResponseData id
            when id.errorCode() == 0 -> {
                producerId = id.producerId();
                producerEpoch = id.producerEpoch();
                sequence = 0;
            }
            case EndTxnResponseData ended when ended.producerId() >= 0 -> producerEpoch = ended.producerEpoch();
            default -> {}
        }
    }
}
