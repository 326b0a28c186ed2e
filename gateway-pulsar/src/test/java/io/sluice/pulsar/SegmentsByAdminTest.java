package io.sluice.pulsar;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.pulsar.client.admin.PulsarAdminException.NotFoundException;
import org.apache.pulsar.client.admin.PulsarAdminException.PreconditionFailedException;
import org.apache.pulsar.client.admin.ScalableTopics;
import org.apache.pulsar.client.api.v5.Message;
import org.apache.pulsar.client.api.v5.Producer;
import org.apache.pulsar.client.api.v5.PulsarClient;
import org.apache.pulsar.client.api.v5.StreamConsumer;
import org.apache.pulsar.client.api.v5.config.SubscriptionInitialPosition;
import org.apache.pulsar.client.api.v5.schema.Schema;
import org.apache.pulsar.common.policies.data.ScalableTopicMetadata;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** One segment of a scalable topic, by Pulsar 5's own admin client. */
@Timeout(120)
class SegmentsByAdminTest {
    private static final String TOPIC = "topic://public/default/s";
    private static final String FIRST = "segment://public/default/s/0000-ffff-0";
    private static final String SECOND = "segment://public/default/s/0000-ffff-1";
    private static final Duration SOON = Duration.ofSeconds(30);
    private static final int KEYS = 8;

    private TestGateway gateway;
    private TestAdmin admin;
    private PulsarClient client;
    private ScalableTopics scalable;
    private int sent;

    @BeforeEach
    void start() throws Exception {
        gateway = TestGateway.start();
        admin = new TestAdmin(gateway);
        client = PulsarClient.builder()
                .serviceUrl("pulsar://127.0.0.1:" + gateway.port())
                .build();
        scalable = admin.client().scalableTopics();
        scalable.createScalableTopic(TOPIC, 1);
    }

    @AfterEach
    void close() throws Exception {
        client.close();
        admin.close();
        gateway.close();
    }

    private static <T> T get(CompletableFuture<T> future) throws Exception {
        return future.get(SOON.toSeconds(), TimeUnit.SECONDS);
    }

    private long backlog(String segment, String subscription) throws Exception {
        return get(scalable.getSegmentSubscriptionBacklogAsync(segment, subscription));
    }

    private List<String> send(Producer<String> producer) throws Exception {
        List<String> values = new ArrayList<>();
        for (int k = 0; k < KEYS; k++) {
            values.add("" + sent++);
            producer.newMessage().key("k" + k).value(values.getLast()).send();
        }
        return values;
    }

    private static List<String> receive(StreamConsumer<String> consumer, int count) throws Exception {
        List<String> values = new ArrayList<>();
        while (values.size() < count) {
            Message<String> message = consumer.receive(SOON);
            assertThat(message).as("after " + values).isNotNull();
            consumer.acknowledgeCumulative(message.id());
            values.add(message.value());
        }
        return values;
    }

    private StreamConsumer<String> stream() throws Exception {
        return client.newStreamConsumer(Schema.string())
                .topic(TOPIC)
                .subscriptionName("stream")
                .consumerName("c")
                .subscriptionInitialPosition(SubscriptionInitialPosition.EARLIEST)
                .subscribe();
    }

    @Test
    void anotherGoesOnWhereOneIsTerminatedUnderItsClients() throws Exception {
        try (Producer<String> producer =
                        client.newProducer(Schema.string()).topic(TOPIC).create();
                StreamConsumer<String> consumer = stream()) {
            List<String> expected = send(producer);
            scalable.terminateSegment(FIRST);
            scalable.terminateSegment(FIRST);
            expected.addAll(send(producer));
            assertThat(receive(consumer, 2 * KEYS)).containsExactlyElementsOf(expected);
        }
        ScalableTopicMetadata metadata = scalable.getMetadata(TOPIC);
        assertThat(metadata.getSegments()).hasSize(2);
        assertThat(Objects.requireNonNull(metadata.getSegments().get(0L)).getChildIds())
                .containsExactly(1L);
        assertThat(Objects.requireNonNull(metadata.getSegments().get(1L)).isActive())
                .isTrue();
        assertThat(get(scalable.getSegmentSubscriptionBacklogAsync(SECOND, "stream")))
                .isZero();
    }

    @Test
    void aSubscriptionOfASegmentIsMadeMovedAndDeleted() throws Exception {
        try (Producer<String> producer =
                client.newProducer(Schema.string()).topic(TOPIC).create()) {
            send(producer);
            get(scalable.createSegmentSubscriptionAsync(FIRST, "s"));
            assertThat(backlog(FIRST, "s")).isEqualTo(KEYS);
            get(scalable.clearSegmentSubscriptionBacklogAsync(FIRST, "s"));
            assertThat(backlog(FIRST, "s")).isZero();
            get(scalable.seekSegmentSubscriptionAsync(FIRST, "s", 1));
            assertThat(backlog(FIRST, "s")).isEqualTo(KEYS);
            scalable.createSegment(FIRST, List.of("s", "t"));
            assertThat(backlog(FIRST, "t")).isEqualTo(KEYS);
            scalable.terminateSegment(FIRST);
            send(producer);
            assertThat(backlog(SECOND, "t")).isEqualTo(KEYS);
            get(scalable.deleteSegmentSubscriptionAsync(FIRST, "t"));
            assertThat(backlog(SECOND, "t")).as("that of the segment only").isEqualTo(KEYS);
        }
        assertThatThrownBy(() -> backlog(FIRST, "t")).hasCauseInstanceOf(NotFoundException.class);
        HttpResponse<String> stats = admin.ask("GET", "/admin/v2/segments/public/default/s/0000-ffff-0/stats");
        assertThat(stats.statusCode()).isEqualTo(200);
        assertThat(stats.body()).contains("\"msgBacklog\":" + KEYS);
    }

    @Test
    void onlyWhatIsSealedAndHasNothingBeforeItIsDeleted() throws Exception {
        try (Producer<String> producer =
                client.newProducer(Schema.string()).topic(TOPIC).create()) {
            send(producer);
            assertThatThrownBy(() -> scalable.deleteSegment(FIRST, true))
                    .isInstanceOf(PreconditionFailedException.class)
                    .hasMessageContaining("segment 0 is active");
            scalable.terminateSegment(FIRST);
            scalable.terminateSegment(SECOND);
            assertThatThrownBy(() -> scalable.deleteSegment(SECOND, true))
                    .isInstanceOf(PreconditionFailedException.class)
                    .hasMessageContaining("has a parent that stays");
            assertThatThrownBy(() -> scalable.deleteSegment(FIRST, false))
                    .isInstanceOf(PreconditionFailedException.class)
                    .hasMessageContaining("with force only");
            scalable.deleteSegment(FIRST, true);
            scalable.deleteSegment(SECOND, false);
            assertThat(scalable.getMetadata(TOPIC).getSegments()).containsOnlyKeys(2L);
            assertThatThrownBy(() -> scalable.deleteSegment(FIRST, true)).isInstanceOf(NotFoundException.class);
            List<String> left = send(producer);
            try (StreamConsumer<String> consumer = stream()) {
                assertThat(receive(consumer, KEYS)).containsExactlyElementsOf(left);
            }
        }
        gateway.restart();
        assertThat(gateway.broker().catalogue().all())
                .filteredOn(topic -> topic.name().isSegment())
                .singleElement()
                .satisfies(topic -> assertThat(topic.name().local()).isEqualTo("s/0000-ffff-2"));
    }

    @Test
    void whatIsNoSegmentOfTheTopicIsSaidToBeMissing() {
        String none = "segment://public/default/s/0000-7fff-9";
        assertThatThrownBy(() -> scalable.terminateSegment(none)).isInstanceOf(NotFoundException.class);
        assertThatThrownBy(() -> scalable.createSegment(none, List.of())).isInstanceOf(NotFoundException.class);
        assertThatThrownBy(() -> get(scalable.createSegmentSubscriptionAsync(none, "s")))
                .isInstanceOf(ExecutionException.class)
                .hasCauseInstanceOf(NotFoundException.class);
    }
}
