package io.sluice.kafka.coordinator;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.kafka.RawClient;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.apache.kafka.common.message.OffsetCommitRequestData;
import org.apache.kafka.common.message.OffsetCommitRequestData.OffsetCommitRequestPartition;
import org.apache.kafka.common.message.OffsetCommitRequestData.OffsetCommitRequestTopic;
import org.apache.kafka.common.message.OffsetCommitResponseData;
import org.apache.kafka.common.message.OffsetFetchRequestData;
import org.apache.kafka.common.message.OffsetFetchRequestData.OffsetFetchRequestGroup;
import org.apache.kafka.common.message.OffsetFetchRequestData.OffsetFetchRequestTopics;
import org.apache.kafka.common.message.OffsetFetchResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Group requests that a client sends before it has read the answers to those before them. */
class PipelinedGroupRequestsTest {
    private static final short COMMIT = 8;
    private static final short FETCH = 8;

    private GroupServer server;
    private RawClient client;

    @BeforeEach
    void start() throws Exception {
        server = new GroupServer();
        server.broker().createTopic("t", 1);
        client = new RawClient(server.port());
    }

    @AfterEach
    void stop() throws Exception {
        client.close();
        server.close();
    }

    private void commit(long offset) throws IOException {
        OffsetCommitRequestTopic topic = new OffsetCommitRequestTopic()
                .setName("t")
                .setPartitions(List.of(new OffsetCommitRequestPartition().setCommittedOffset(offset)));
        client.send(
                ApiKeys.OFFSET_COMMIT,
                COMMIT,
                new OffsetCommitRequestData().setGroupId("g").setTopics(List.of(topic)));
    }

    /** The coordinator may still be loading the group's partition. */
    private void commitOnceLoaded(long offset) {
        await().untilAsserted(() -> {
            commit(offset);
            assertThat(committed()).isZero();
        });
    }

    private short committed() throws IOException {
        OffsetCommitResponseData answer =
                new OffsetCommitResponseData(client.receive(ApiKeys.OFFSET_COMMIT, COMMIT), COMMIT);
        return answer.topics().getFirst().partitions().getFirst().errorCode();
    }

    private void fetch() throws IOException {
        OffsetFetchRequestTopics topic =
                new OffsetFetchRequestTopics().setName("t").setPartitionIndexes(List.of(0));
        client.send(
                ApiKeys.OFFSET_FETCH,
                FETCH,
                new OffsetFetchRequestData()
                        .setRequireStable(false)
                        .setGroups(List.of(
                                new OffsetFetchRequestGroup().setGroupId("g").setTopics(List.of(topic)))));
    }

    private long fetched() throws IOException {
        OffsetFetchResponseData answer =
                new OffsetFetchResponseData(client.receive(ApiKeys.OFFSET_FETCH, FETCH), FETCH);
        return answer.groups()
                .getFirst()
                .topics()
                .getFirst()
                .partitions()
                .getFirst()
                .committedOffset();
    }

    @Test
    void anOffsetFetchSeesTheCommitBeforeIt() throws Exception {
        commitOnceLoaded(1);
        CompletableFuture<Void> released = server.holdUntilOffsetsAreSequenced(1);
        commit(2);
        fetch();
        assertThat(committed()).isZero();
        assertThat(fetched()).isEqualTo(2);
        released.join();
    }

    @Test
    void commitsDoNotWaitForEachOtherAndKeepTheirOrder() throws Exception {
        commitOnceLoaded(1);
        CompletableFuture<Void> released = server.holdUntilOffsetsAreSequenced(10);
        for (int i = 2; i <= 11; i++) {
            commit(i);
        }
        fetch();
        for (int i = 2; i <= 11; i++) {
            assertThat(committed()).isZero();
        }
        assertThat(fetched()).isEqualTo(11);
        released.join();
    }
}
