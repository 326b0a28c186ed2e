package io.sluice.pulsar;

import static org.apache.pulsar.common.policies.data.BacklogQuota.BacklogQuotaType.destination_storage;
import static org.apache.pulsar.common.policies.data.BacklogQuota.BacklogQuotaType.message_age;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.pulsar.client.admin.PulsarAdmin;
import org.apache.pulsar.client.admin.PulsarAdminException.PreconditionFailedException;
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.client.api.MessageId;
import org.apache.pulsar.client.api.Producer;
import org.apache.pulsar.client.api.PulsarClient;
import org.apache.pulsar.client.api.PulsarClientException;
import org.apache.pulsar.client.api.PulsarClientException.ProducerBlockedQuotaExceededError;
import org.apache.pulsar.client.api.PulsarClientException.ProducerBlockedQuotaExceededException;
import org.apache.pulsar.common.policies.data.BacklogQuota;
import org.apache.pulsar.common.policies.data.BacklogQuota.RetentionPolicy;
import org.apache.pulsar.common.policies.data.RetentionPolicies;
import org.apache.pulsar.common.policies.data.TopicStats;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Backlog quotas of namespaces and topics, for the stock client. The rounds of checks are those that the tests ask for. */
class BacklogQuotaTest extends ClientTest {
    private static final String NAMESPACE = "public/default";
    private static final String T = "persistent://public/default/t";
    private static final int KILOBYTE = 1 << 10;

    private TestAdmin server;
    private PulsarAdmin admin;

    @BeforeEach
    void startAdmin() throws Exception {
        server = new TestAdmin(gateway);
        admin = server.client();
        admin.topics().createNonPartitionedTopic(T);
        for (String name : List.of("s", "fast")) {
            admin.topics().createSubscription(T, name, MessageId.earliest);
        }
    }

    @AfterEach
    void stopAdmin() throws Exception {
        server.close();
    }

    private static BacklogQuota quota(long size, int seconds, RetentionPolicy policy) {
        return BacklogQuota.builder()
                .limitSize(size)
                .limitTime(seconds)
                .retentionPolicy(policy)
                .build();
    }

    /** A client tries again until the time for its operation is over. */
    private void expectRefused(Class<? extends PulsarClientException> why) throws Exception {
        try (PulsarClient impatient = PulsarClients.builder("pulsar://127.0.0.1:" + gateway.port())
                .operationTimeout(2, TimeUnit.SECONDS)
                .build()) {
            assertThatThrownBy(() -> impatient.newProducer().topic(T).create()).isInstanceOf(why);
        }
    }

    private Producer<byte[]> producer() throws PulsarClientException {
        return single(T);
    }

    private void fill(int kilobytes) throws Exception {
        try (Producer<byte[]> producer = producer()) {
            for (int i = 0; i < kilobytes; i++) {
                producer.send(new byte[KILOBYTE]);
            }
        }
    }

    private void check() throws Exception {
        admin.brokers().backlogQuotaCheck();
    }

    private long backlog(String subscription) throws Exception {
        return Objects.requireNonNull(
                        admin.topics().getStats(T).getSubscriptions().get(subscription))
                .getMsgBacklog();
    }

    @Test
    void producersAreRefusedWhileTheBacklogIsTooLarge() throws Exception {
        fill(20);
        admin.topicPolicies().setBacklogQuota(T, quota(10 * KILOBYTE, -1, RetentionPolicy.producer_exception));
        expectRefused(ProducerBlockedQuotaExceededException.class);
        admin.topicPolicies().setBacklogQuota(T, quota(10 * KILOBYTE, -1, RetentionPolicy.producer_request_hold));
        admin.topics().skipAllMessages(T, "fast");
        expectRefused(ProducerBlockedQuotaExceededError.class);
        admin.topics().skipAllMessages(T, "s");
        producer().close();
    }

    /** The send waits at the client, as under Pulsar, until there is room or its time is over. */
    @Test
    void aProducerThatIsOpenIsHeld() throws Exception {
        admin.namespaces().setBacklogQuota(NAMESPACE, quota(10 * KILOBYTE, -1, RetentionPolicy.producer_request_hold));
        try (Producer<byte[]> held = producer()) {
            for (int i = 0; i < 20; i++) {
                held.send(new byte[KILOBYTE]);
            }
            check();
            await().until(() -> !held.isConnected());
            CompletableFuture<MessageId> waiting = held.sendAsync(new byte[KILOBYTE]);
            for (String name : List.of("s", "fast")) {
                assertThat(waiting).isNotDone();
                admin.topics().skipAllMessages(T, name);
            }
            assertThat(waiting.get(SOON, TimeUnit.SECONDS)).isNotNull();
        }
    }

    @Test
    void aProducerThatIsOpenHearsAnException() throws Exception {
        admin.namespaces().setBacklogQuota(NAMESPACE, quota(10 * KILOBYTE, -1, RetentionPolicy.producer_exception));
        try (Producer<byte[]> open = producer()) {
            for (int i = 0; i < 20; i++) {
                open.send(new byte[KILOBYTE]);
            }
            check();
            await().until(() -> !open.isConnected());
            CompletableFuture<MessageId> waiting = open.sendAsync(new byte[KILOBYTE]);
            assertThatThrownBy(() -> waiting.get(SOON, TimeUnit.SECONDS))
                    .hasCauseInstanceOf(ProducerBlockedQuotaExceededException.class);
        }
    }

    @Test
    void theOldestMessagesAreEvictedFromTheSlowestSubscriptions() throws Exception {
        fill(20);
        admin.topics().skipMessages(T, "fast", 18);
        try (Consumer<byte[]> consumer = subscribe(T).receiverQueueSize(1).subscribe()) {
            admin.topicPolicies()
                    .setBacklogQuota(T, quota(10 * KILOBYTE, -1, RetentionPolicy.consumer_backlog_eviction));
            check();
            assertThat(backlog("s")).isBetween(6L, 9L);
            assertThat(backlog("fast")).isEqualTo(2);
            assertThat(consumer.isConnected()).isTrue();
        }
        producer().close();
        long left = backlog("s");
        check();
        assertThat(backlog("s")).isEqualTo(left);
    }

    @Test
    void aBacklogHasAnAge() throws Exception {
        fill(2);
        long sent = System.currentTimeMillis();
        admin.topicPolicies().setBacklogQuota(T, quota(-1, 1, RetentionPolicy.producer_exception), message_age);
        await().until(() -> System.currentTimeMillis() > sent + 1_100);
        expectRefused(ProducerBlockedQuotaExceededException.class);
        TopicStats stats = admin.topics().getStats(T);
        assertThat(stats.getBacklogQuotaLimitTime()).isEqualTo(1);
        assertThat(stats.getBacklogQuotaLimitSize()).isEqualTo(-1);
        assertThat(stats.getOldestBacklogMessageAgeSeconds()).isPositive();
        assertThat(stats.getOldestBacklogMessageSubscriptionName()).isIn("s", "fast");
        admin.topicPolicies().setBacklogQuota(T, quota(-1, 1, RetentionPolicy.consumer_backlog_eviction), message_age);
        check();
        assertThat(backlog("s")).isZero();
        assertThat(backlog("fast")).isZero();
        producer().close();
        assertThat(admin.topics().getStats(T).getOldestBacklogMessageAgeSeconds())
                .isEqualTo(-1);
    }

    @Test
    void aTopicsQuotaCountsBeforeItsNamespaces() throws Exception {
        BacklogQuota small = quota(KILOBYTE, -1, RetentionPolicy.producer_exception);
        BacklogQuota large = quota(1 << 20, -1, RetentionPolicy.producer_exception);
        fill(2);
        admin.namespaces().setBacklogQuota(NAMESPACE, small);
        admin.topicPolicies().setBacklogQuota(T, large);
        producer().close();
        assertThat(admin.topicPolicies().getBacklogQuotaMap(T)).containsOnlyKeys(destination_storage);
        assertThat(admin.topicPolicies().getBacklogQuotaMap(T, true)).containsEntry(destination_storage, large);
        admin.topicPolicies().removeBacklogQuota(T, destination_storage);
        assertThat(admin.topicPolicies().getBacklogQuotaMap(T, true)).containsEntry(destination_storage, small);
        expectRefused(ProducerBlockedQuotaExceededException.class);
        admin.namespaces().removeBacklogQuota(NAMESPACE);
        producer().close();
    }

    @Test
    void whatIsKeptMustBeMoreThanWhatMayPileUp() throws Exception {
        BacklogQuota megabyte = quota(1 << 20, -1, RetentionPolicy.producer_exception);
        admin.topicPolicies().setBacklogQuota(T, megabyte);
        admin.namespaces().setBacklogQuota(NAMESPACE, megabyte);
        RetentionPolicies tooLittle = new RetentionPolicies(10, 1);
        assertThatThrownBy(() -> admin.topicPolicies().setRetention(T, tooLittle))
                .isInstanceOf(PreconditionFailedException.class);
        assertThatThrownBy(() -> admin.namespaces().setRetention(NAMESPACE, tooLittle))
                .isInstanceOf(PreconditionFailedException.class);
        admin.topicPolicies().removeBacklogQuota(T, destination_storage);
        admin.namespaces().removeBacklogQuota(NAMESPACE);
        admin.topicPolicies().setRetention(T, tooLittle);
        admin.namespaces().setRetention(NAMESPACE, tooLittle);
        assertThatThrownBy(() -> admin.topicPolicies().setBacklogQuota(T, megabyte))
                .isInstanceOf(PreconditionFailedException.class);
        assertThatThrownBy(() -> admin.namespaces().setBacklogQuota(NAMESPACE, megabyte))
                .isInstanceOf(PreconditionFailedException.class);
    }
}
