package io.sluice.pulsar;

import static io.sluice.pulsar.ScalableTopicClients.KEYS;
import static io.sluice.pulsar.ScalableTopicClients.SOON;
import static io.sluice.pulsar.ScalableTopicClients.TOPIC;
import static io.sluice.pulsar.ScalableTopicClients.receive;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.http.HttpResponse;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.apache.pulsar.client.admin.PulsarAdminException.NotFoundException;
import org.apache.pulsar.client.admin.PulsarAdminException.PreconditionFailedException;
import org.apache.pulsar.client.admin.ScalableTopics;
import org.apache.pulsar.client.api.v5.Producer;
import org.apache.pulsar.client.api.v5.StreamConsumer;
import org.apache.pulsar.common.policies.data.ScalableTopicMetadata;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** One segment of a scalable topic, by Pulsar 5's own admin client. */
@Timeout(120)
class SegmentsByAdminTest {
    private static final String FIRST = "segment://public/default/s/0000-ffff-0";
    private static final String SECOND = "segment://public/default/s/0000-ffff-1";

    private final ScalableTopicClients clients;
    private final ScalableTopics scalable;

    SegmentsByAdminTest() throws Exception {
        clients = new ScalableTopicClients();
        scalable = clients.scalable();
    }

    @AfterEach
    void close() throws Exception {
        clients.close();
    }

    private static <T> T get(CompletableFuture<T> future) throws Exception {
        return future.get(SOON.toSeconds(), TimeUnit.SECONDS);
    }

    private long backlog(String segment, String subscription) throws Exception {
        return get(scalable.getSegmentSubscriptionBacklogAsync(segment, subscription));
    }

    @Test
    void anotherGoesOnWhereOneIsTerminatedUnderItsClients() throws Exception {
        try (Producer<String> producer = clients.producer();
                StreamConsumer<String> consumer = clients.stream()) {
            List<String> expected = clients.send(producer);
            scalable.terminateSegment(FIRST);
            scalable.terminateSegment(FIRST);
            expected.addAll(clients.send(producer));
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
        try (Producer<String> producer = clients.producer()) {
            clients.send(producer);
            get(scalable.createSegmentSubscriptionAsync(FIRST, "s"));
            assertThat(backlog(FIRST, "s")).isEqualTo(KEYS);
            get(scalable.clearSegmentSubscriptionBacklogAsync(FIRST, "s"));
            assertThat(backlog(FIRST, "s")).isZero();
            get(scalable.seekSegmentSubscriptionAsync(FIRST, "s", 1));
            assertThat(backlog(FIRST, "s")).isEqualTo(KEYS);
            scalable.createSegment(FIRST, List.of("s", "t"));
            assertThat(backlog(FIRST, "t")).isEqualTo(KEYS);
            scalable.terminateSegment(FIRST);
            clients.send(producer);
            assertThat(backlog(SECOND, "t")).isEqualTo(KEYS);
            get(scalable.deleteSegmentSubscriptionAsync(FIRST, "t"));
            assertThat(backlog(SECOND, "t")).as("that of the segment only").isEqualTo(KEYS);
        }
        assertThatThrownBy(() -> backlog(FIRST, "t")).hasCauseInstanceOf(NotFoundException.class);
        HttpResponse<String> stats = clients.ask("GET", "/admin/v2/segments/public/default/s/0000-ffff-0/stats");
        assertThat(stats.statusCode()).isEqualTo(200);
        assertThat(stats.body()).contains("\"msgBacklog\":" + KEYS);
    }

    @Test
    void onlyWhatIsSealedAndHasNothingBeforeItIsDeleted() throws Exception {
        try (Producer<String> producer = clients.producer()) {
            clients.send(producer);
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
            List<String> left = clients.send(producer);
            try (StreamConsumer<String> consumer = clients.stream()) {
                assertThat(receive(consumer, KEYS)).containsExactlyElementsOf(left);
            }
        }
        clients.gateway().restart();
        assertThat(clients.gateway().broker().catalogue().all())
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
