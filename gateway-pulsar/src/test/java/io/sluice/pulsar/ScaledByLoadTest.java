package io.sluice.pulsar;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.broker.balance.MeasureLoad;
import io.sluice.broker.balance.Strain;
import io.sluice.broker.scalable.ScalableTopic;
import io.sluice.broker.scaling.KeepTopicsScaled;
import io.sluice.broker.scaling.KeepTopicsScaled.Done;
import io.sluice.broker.scaling.ScaleTargets;
import io.sluice.broker.topic.TopicName;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import org.apache.pulsar.client.admin.PulsarAdminException;
import org.apache.pulsar.client.admin.PulsarAdminException.PreconditionFailedException;
import org.apache.pulsar.client.api.v5.Message;
import org.apache.pulsar.client.api.v5.Producer;
import org.apache.pulsar.client.api.v5.PulsarClient;
import org.apache.pulsar.client.api.v5.PulsarClientException;
import org.apache.pulsar.client.api.v5.QueueConsumer;
import org.apache.pulsar.client.api.v5.StreamConsumer;
import org.apache.pulsar.client.api.v5.config.SubscriptionInitialPosition;
import org.apache.pulsar.client.api.v5.schema.Schema;
import org.apache.pulsar.common.policies.data.AutoScalePolicyOverride;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Pulsar 5's stock clients on a topic that splits and merges by itself, and its admin client, which says when. */
@Timeout(120)
class ScaledByLoadTest {
    private static final String TOPIC = "topic://public/default/s";
    private static final String POLICY = "/admin/v2/scalable/public/default/s/autoScalePolicy";
    private static final TopicName NAME = TopicName.ofDefault("s");
    private static final int KEYS = 16;
    private static final int SOON = 30;
    /** The policy's time passes so many times as fast: its ten seconds above a limit are half a second. */
    private static final int HASTE = 20;

    private final long began = System.nanoTime();
    private final LongSupplier clock = () -> HASTE * TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - began);
    private TestGateway gateway;
    private TestAdmin admin;
    private PulsarClient client;
    private final Map<String, Integer> sent = new HashMap<>();
    private volatile boolean ends;

    @BeforeEach
    void start() throws Exception {
        gateway = TestGateway.start();
        admin = new TestAdmin(gateway);
        client = PulsarClient.builder()
                .serviceUrl("pulsar://127.0.0.1:" + gateway.port())
                .build();
        admin.client().scalableTopics().createScalableTopic(TOPIC, 1);
    }

    @AfterEach
    void close() throws Exception {
        client.close();
        admin.close();
        gateway.close();
    }

    private ScalableTopic topic() {
        return Objects.requireNonNull(gateway.broker().scalableTopics().find(NAME));
    }

    private int active() {
        return topic().graph().active().size();
    }

    /** Up to four segments, of two messages a second each: at the policy's speed 40, which a slow disk takes from one producer, too. */
    private static AutoScalePolicyOverride low() {
        return AutoScalePolicyOverride.builder()
                .maxSegments(4)
                .splitMsgRateInThreshold(2.0)
                .mergeMsgRateInThreshold(0.5)
                .splitCooldownSeconds(5L)
                .mergeCooldownSeconds(5L)
                .mergeWindowSeconds(5L)
                .build();
    }

    @Test
    void adminSetsShowsAndRemovesThePolicyOfATopic() throws Exception {
        var scalable = admin.client().scalableTopics();
        assertThat(scalable.getAutoScalePolicy(TOPIC)).isNull();
        scalable.setAutoScalePolicy(TOPIC, low());
        assertThat(scalable.getAutoScalePolicy(TOPIC)).isEqualTo(low());
        gateway.restart();
        assertThat(scalable.getAutoScalePolicy(TOPIC)).isEqualTo(low());
        assertThat(scalable.getMetadata(TOPIC).getAutoScalePolicy()).isEqualTo(low());
        scalable.removeAutoScalePolicy(TOPIC);
        assertThat(scalable.getAutoScalePolicy(TOPIC)).isNull();
        assertThatThrownBy(() -> scalable.setAutoScalePolicy("topic://public/default/none", low()))
                .isInstanceOf(PulsarAdminException.NotFoundException.class);
    }

    @Test
    void aPolicyThatCannotBeIsRefusedWithItsReason() throws Exception {
        refused(AutoScalePolicyOverride.builder().maxSegments(0).build(), "maxSegments is 1 to 64, not 0");
        refused(AutoScalePolicyOverride.builder().maxSegments(65).build(), "maxSegments is 1 to 64, not 65");
        refused(AutoScalePolicyOverride.builder().minSegments(5).maxSegments(4).build(), "the most segments must not");
        refused(
                AutoScalePolicyOverride.builder().splitMsgRateInThreshold(5.0).build(),
                "must be less than those above");
        refused(AutoScalePolicyOverride.builder().splitBytesRateInThreshold(0L).build(), "must be above 0");
        refused(AutoScalePolicyOverride.builder().splitCooldownSeconds(-1L).build(), "splitCooldownSeconds is 0 to");
        for (String body : List.of("{\"maxSegments\":{}}", "{\"enabled\":\"maybe\"}", "{\"most\":1}")) {
            HttpResponse<String> answer = admin.ask("POST", POLICY, body);
            assertThat(answer.statusCode()).as(body).isEqualTo(412);
            assertThat(answer.body()).contains("Invalid auto split/merge configuration: ");
        }
        for (String body : List.of("", "no", "[]", "1", "{")) {
            HttpResponse<String> answer = admin.ask("POST", POLICY, body);
            assertThat(answer.statusCode()).as(body).isEqualTo(400);
            assertThat(answer.body()).contains("the request's body ");
        }
        assertThat(topic().scaling()).isEmpty();
    }

    private void refused(AutoScalePolicyOverride policy, String why) {
        assertThatThrownBy(() -> admin.client().scalableTopics().setAutoScalePolicy(TOPIC, policy))
                .isInstanceOf(PreconditionFailedException.class)
                .hasMessageContaining("Invalid auto split/merge configuration: ")
                .hasMessageContaining(why);
    }

    @Test
    void clientsLoseNothingWhileATopicSplitsAndMergesByItself() throws Exception {
        admin.client().scalableTopics().setAutoScalePolicy(TOPIC, low());
        ConcurrentLinkedQueue<String> inOrder = new ConcurrentLinkedQueue<>();
        ConcurrentLinkedQueue<String> queued = new ConcurrentLinkedQueue<>();
        try (Producer<String> producer =
                        client.newProducer(Schema.string()).topic(TOPIC).create();
                StreamConsumer<String> stream = client.newStreamConsumer(Schema.string())
                        .topic(TOPIC)
                        .subscriptionName("stream")
                        .subscriptionInitialPosition(SubscriptionInitialPosition.EARLIEST)
                        .subscribe();
                QueueConsumer<String> queue = client.newQueueConsumer(Schema.string())
                        .topic(TOPIC)
                        .subscriptionName("queue")
                        .subscriptionInitialPosition(SubscriptionInitialPosition.EARLIEST)
                        .subscribe()) {
            List<CompletableFuture<?>> loops =
                    List.of(loop(() -> read(stream, inOrder)), loop(() -> read(queue, queued)), loop(this::keepScaled));
            sendUntil(producer, 0, () -> active() == 4);
            sendUntil(producer, TimeUnit.MILLISECONDS.toNanos(200), () -> active() == 1);
            sendUntil(producer, 0, () -> active() > 1);
            int total = sent.values().stream().mapToInt(n -> n).sum();
            await(() -> inOrder.size() >= total && queued.size() >= total);
            ends = true;
            for (CompletableFuture<?> loop : loops) {
                loop.get(SOON, TimeUnit.SECONDS);
            }
            assertInOrder(inOrder);
            assertThat(inOrder).hasSize(total);
            assertThat(queued).containsExactlyInAnyOrderElementsOf(inOrder);
            assertThat(topic().graph().all()).hasSizeGreaterThanOrEqualTo(1 + 3 * 2 + 3 + 2);
        } finally {
            ends = true;
        }
    }

    private interface Work {
        void run() throws Exception;
    }

    private static CompletableFuture<?> loop(Work work) {
        CompletableFuture<Void> done = new CompletableFuture<>();
        Thread.ofVirtual().start(() -> {
            try {
                work.run();
                done.complete(null);
            } catch (Exception e) {
                done.completeExceptionally(e);
            }
        });
        return done;
    }

    private void read(StreamConsumer<String> consumer, ConcurrentLinkedQueue<String> values)
            throws PulsarClientException {
        while (!ends) {
            Message<String> message = consumer.receive(Duration.ofMillis(50));
            if (message != null) {
                values.add(message.value());
                consumer.acknowledgeCumulative(message.id());
            }
        }
    }

    private void read(QueueConsumer<String> consumer, ConcurrentLinkedQueue<String> values)
            throws PulsarClientException {
        while (!ends) {
            Message<String> message = consumer.receive(Duration.ofMillis(50));
            if (message != null) {
                values.add(message.value());
                consumer.acknowledge(message.id());
            }
        }
    }

    private void keepScaled() throws InterruptedException {
        var broker = gateway.broker();
        var measure =
                new MeasureLoad(broker.catalogue(), broker.partitions(), broker.containers(), id -> Strain.NONE, clock);
        var scaling = new KeepTopicsScaled(
                new KeepTopicsScaled.Context(
                        broker.catalogue(), broker.scalableTopics(), broker.durability(), broker.containers(), clock),
                ScaleTargets.DEFAULT);
        while (!ends) {
            assertThat(scaling.round(measure.sample())).allMatch(Done::done);
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(25));
        }
    }

    /** Sends to one key after the other, with a pause before each, and until it has come to pass. */
    private void sendUntil(Producer<String> producer, long pauseNanos, BooleanSupplier passed) throws Exception {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(SOON);
        for (int k = 0; !passed.getAsBoolean(); k = (k + 1) % KEYS) {
            assertThat(System.nanoTime()).as("%d segments", active()).isLessThan(deadline);
            LockSupport.parkNanos(pauseNanos);
            String key = "k" + k;
            int number = sent.merge(key, 1, Integer::sum);
            Sends.send(producer, key, key + ":" + number);
        }
    }

    private static void await(BooleanSupplier passed) {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(SOON);
        while (!passed.getAsBoolean()) {
            assertThat(System.nanoTime()).isLessThan(deadline);
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
        }
    }

    private static void assertInOrder(Iterable<String> values) {
        Map<String, Integer> last = new HashMap<>();
        List<String> wrong = new ArrayList<>();
        for (String value : values) {
            String key = value.substring(0, value.indexOf(':'));
            int number = Integer.parseInt(value.substring(value.indexOf(':') + 1));
            if (number != last.getOrDefault(key, 0) + 1) {
                wrong.add(value + " after " + last.get(key));
            }
            last.put(key, number);
        }
        assertThat(wrong).isEmpty();
    }
}
