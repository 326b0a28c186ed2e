package io.sluice.pulsar.answers;

import java.io.IOException;
import java.util.List;
import org.apache.pulsar.client.api.PulsarClient;

/** What is asked of each server, in this order. The server must be new: places and topics are created by name. */
final class Scenario {
    private Scenario() {}

    /**
     * @param http {@code http://host:port}
     * @param binary {@code pulsar://host:port}
     */
    static List<Answer> run(String http, String binary) throws IOException {
        try (Questions questions = new Questions(http);
                PulsarClient client = PulsarClient.builder().serviceUrl(binary).build()) {
            new PlaceQuestions(questions).ask();
            new TopicQuestions(questions).ask();
            new TrafficQuestions(questions, client).ask();
            new HeldQuestions(questions, client).ask();
            new SubscriptionQuestions(questions, client).ask();
            new MessageQuestions(questions, client).ask();
            new SchemaQuestions(questions).ask();
            new SchemaPolicyQuestions(questions).ask();
            new RetentionQuestions(questions).ask();
            new PolicyQuestions(questions).ask();
            new PolicyTableQuestions(questions).ask();
            new SnapshotIntervalQuestions(questions).ask();
            new BrokerQuestions(questions).ask();
            new StorageQuestions(questions).ask();
            new ProduceQuestions(questions).ask();
            new GroupQuestions(questions).ask();
            new ReplicationQuestions(questions).ask();
            new ClusterMigrationQuestions(questions).ask();
            new DelayQuestions(questions).ask();
            new ExpiryQuestions(questions, client).ask();
            new CompactionQuestions(questions, client).ask();
            new NonPersistentQuestions(questions, client).ask();
            new ShadowTopicQuestions(questions).ask();
            new PermissionQuestions(questions).ask();
            new PlaceQuestions(questions).askForTheirEnd();
            return questions.answers();
        }
    }

    /** Of a server with scalable topics. */
    static List<Answer> runScalable(String http) {
        try (Questions questions = new Questions(http)) {
            new ScalableQuestions(questions).ask();
            return questions.answers();
        }
    }
}
