package io.sluice.pulsar;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.store.segment.InMemoryContainer;
import io.sluice.store.segment.LoopTask;
import io.sluice.store.segment.StoreFailure;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.client.api.Message;
import org.apache.pulsar.client.api.MessageId;
import org.apache.pulsar.client.api.Producer;
import org.apache.pulsar.client.api.PulsarClient;
import org.apache.pulsar.client.api.Reader;
import org.apache.pulsar.client.api.SubscriptionInitialPosition;
import org.apache.pulsar.client.api.SubscriptionType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Reads are answered by another thread, and late. */
@Timeout(60)
class LateAnswersTest {
    private static final int MESSAGES = 500;

    @ParameterizedTest
    @EnumSource(SubscriptionType.class)
    void everySubscriptionTypeDeliversAllInOrder(SubscriptionType type) throws Exception {
        try (TestGateway gateway = TestGateway.readingElsewhere();
                PulsarClient client = gateway.client()) {
            publish(client);
            try (Consumer<byte[]> consumer = consumer(client, type)) {
                List<String> got = new ArrayList<>();
                for (int i = 0; i < MESSAGES; i++) {
                    Message<byte[]> message = consumer.receive(20, TimeUnit.SECONDS);
                    assertThat(message).isNotNull();
                    got.add(new String(message.getData(), UTF_8));
                    consumer.acknowledge(message);
                }
                assertThat(got)
                        .containsExactlyElementsOf(IntStream.range(0, MESSAGES)
                                .mapToObj(i -> "m" + i)
                                .toList());
            }
            assertThat(gateway.broker().readsElsewhere()).isPositive();
            gateway.broker().finishReadsElsewhere();
        }
    }

    /** Seeks and last ids look into the log, too. */
    @Test
    void readersSeekAndAskForTheEnd() throws Exception {
        try (TestGateway gateway = TestGateway.readingElsewhere();
                PulsarClient client = gateway.client()) {
            publish(client);
            try (Reader<byte[]> reader = client.newReader()
                    .topic("t")
                    .startMessageId(MessageId.earliest)
                    .create()) {
                Message<byte[]> first = reader.readNext(20, TimeUnit.SECONDS);
                assertThat(first).isNotNull();
                reader.seek(first.getPublishTime());
                int read = 0;
                while (reader.hasMessageAvailable()) {
                    assertThat(reader.readNext(20, TimeUnit.SECONDS)).isNotNull();
                    read++;
                }
                assertThat(read).isEqualTo(MESSAGES);
            }
            gateway.broker().finishReadsElsewhere();
        }
    }

    /** Answers then find a container that has stopped, and consumers that are gone. */
    @Test
    void aTermThatEndsWithReadsUnderWayLeaksNothing() throws Exception {
        try (TestGateway gateway = TestGateway.readingElsewhere();
                PulsarClient client = gateway.client()) {
            publish(client);
            try (Consumer<byte[]> consumer = consumer(client, SubscriptionType.Shared)) {
                assertThat(consumer.receive(20, TimeUnit.SECONDS)).isNotNull();
                InMemoryContainer container = gateway.broker()
                        .containers()
                        .get(gateway.broker().partition("t", 0).container().id());
                container.execute(
                        LoopTask.of(() -> container.stop(new StoreFailure.NotOwner(container.id(), "fenced"))));
                await().until(() -> container.lentBuffers() == 0);
            }
        }
    }

    private static void publish(PulsarClient client) throws Exception {
        try (Producer<byte[]> producer =
                client.newProducer().topic("t").enableBatching(false).create()) {
            for (int i = 0; i < MESSAGES; i++) {
                producer.sendAsync(("m" + i).getBytes(UTF_8));
            }
            producer.flush();
        }
    }

    private static Consumer<byte[]> consumer(PulsarClient client, SubscriptionType type) throws Exception {
        return client.newConsumer()
                .topic("t")
                .subscriptionName("s")
                .subscriptionType(type)
                .receiverQueueSize(50)
                .subscriptionInitialPosition(SubscriptionInitialPosition.Earliest)
                .subscribe();
    }
}
