package io.sluice.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Fetches that no stock client sends, found by fuzzing. */
class OddFetchTest {
    /** The first in which a client says which epoch it has read last, and is told where its log went another way. */
    private static final short WITH_EPOCHS = 12;

    private static final short WITHOUT_EPOCHS = 7;

    private TestGateway server;
    private RawClient client;

    @BeforeEach
    void start() throws Exception {
        server = new TestGateway();
        server.broker.createTopic("t", 1);
        try (KafkaProducer<byte[], byte[]> producer = server.producer(Map.of())) {
            producer.send(new ProducerRecord<>("t", 0, null, new byte[10])).get();
        }
        client = new RawClient(server.port);
    }

    @AfterEach
    void stop() throws Exception {
        client.close();
        server.close();
    }

    private FetchResponseData fetch(short version, FetchRequestData request) throws Exception {
        return new FetchResponseData(client.call(ApiKeys.FETCH, version, request), version);
    }

    @Test
    void aSessionGoesOnInAVersionThatCannotBeToldOfADivergence() throws Exception {
        var diverging = new FetchRequestData.FetchPartition()
                .setPartition(0)
                .setFetchOffset(5)
                .setLastFetchedEpoch(1)
                .setPartitionMaxBytes(1000);
        var first = new FetchRequestData()
                .setSessionId(0)
                .setSessionEpoch(0)
                .setTopics(
                        List.of(new FetchRequestData.FetchTopic().setTopic("t").setPartitions(List.of(diverging))));
        FetchResponseData told = fetch(WITH_EPOCHS, first);
        assertThat(told.responses()
                        .getFirst()
                        .partitions()
                        .getFirst()
                        .divergingEpoch()
                        .endOffset())
                .isEqualTo(1);

        FetchResponseData then = fetch(
                WITHOUT_EPOCHS,
                new FetchRequestData().setSessionId(told.sessionId()).setSessionEpoch(1));

        assertThat(Errors.forCode(
                        then.responses().getFirst().partitions().getFirst().errorCode()))
                .isEqualTo(Errors.OFFSET_OUT_OF_RANGE);
    }
}
