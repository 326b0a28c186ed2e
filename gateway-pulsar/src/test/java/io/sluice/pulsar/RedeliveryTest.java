package io.sluice.pulsar;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.client.api.ConsumerBuilder;
import org.apache.pulsar.client.api.DeadLetterPolicy;
import org.apache.pulsar.client.api.Message;
import org.apache.pulsar.client.api.MessageId;
import org.apache.pulsar.client.api.Producer;
import org.apache.pulsar.client.api.SubscriptionType;
import org.apache.pulsar.client.impl.MultiplierRedeliveryBackoff;
import org.junit.jupiter.api.Test;

/** Messages that come again, go to another topic, or to another consumer: what Pulsar's Java client does with them. */
class RedeliveryTest extends ClientTest {
    private ConsumerBuilder<byte[]> shared(String topic) {
        return subscribe(topic).subscriptionType(SubscriptionType.Shared);
    }

    @Test
    void aMessageThatIsRefusedComesAgainEachTimeLater() throws Exception {
        try (Producer<byte[]> producer = single("t");
                Consumer<byte[]> consumer = shared("t")
                        .negativeAckRedeliveryBackoff(MultiplierRedeliveryBackoff.builder()
                                .minDelayMs(100)
                                .maxDelayMs(10_000)
                                .multiplier(2)
                                .build())
                        .subscribe()) {
            send(producer, 7);
            long before = System.nanoTime();
            for (int times = 0; times < 4; times++) {
                Message<byte[]> message = next(consumer);
                assertThat(value(message)).isEqualTo(7);
                assertThat(message.getRedeliveryCount()).isEqualTo(times);
                if (times < 3) {
                    consumer.negativeAcknowledge(message);
                } else {
                    consumer.acknowledge(message);
                }
            }
            // 100, 200 and 400 ms, each by the client's clock that may tick a third early
            assertThat(System.nanoTime() - before).isGreaterThan(TimeUnit.MILLISECONDS.toNanos(400));
            expectNothing(consumer);
        }
    }

    @Test
    void aMessageThatIsNotAcknowledgedInTimeComesAgain() throws Exception {
        try (Producer<byte[]> producer = single("t");
                Consumer<byte[]> consumer =
                        shared("t").ackTimeout(1, TimeUnit.SECONDS).subscribe()) {
            send(producer, 1);
            assertThat(next(consumer).getRedeliveryCount()).isZero();
            Message<byte[]> again = next(consumer);
            assertThat(again.getRedeliveryCount()).isPositive();
            consumer.acknowledge(again);
        }
    }

    @Test
    void aMessageThatIsRefusedTooOftenIsInTheDeadLetterTopic() throws Exception {
        for (SubscriptionType type : List.of(SubscriptionType.Shared, SubscriptionType.Key_Shared)) {
            String topic = "dead-" + type;
            try (Producer<byte[]> producer = single(topic);
                    Consumer<byte[]> consumer = subscribe(topic)
                            .subscriptionType(type)
                            .negativeAckRedeliveryDelay(50, TimeUnit.MILLISECONDS)
                            .deadLetterPolicy(DeadLetterPolicy.builder()
                                    .maxRedeliverCount(2)
                                    .initialSubscriptionName("first")
                                    .build())
                            .subscribe()) {
                MessageId sent = send(producer, 3);
                for (int times = 0; times < 3; times++) {
                    consumer.negativeAcknowledge(next(consumer));
                }
                String dead = topic + "-s-DLQ";
                await().until(() -> gateway.broker().catalogue().all().stream()
                        .anyMatch(each -> each.name().local().equals(dead)));
                try (Consumer<byte[]> letters =
                        subscribe(dead).subscriptionName("first").subscribe()) {
                    Message<byte[]> letter = next(letters);
                    assertThat(value(letter)).isEqualTo(3);
                    assertThat(letter.getProperty("ORIGIN_MESSAGE_ID")).isEqualTo(sent.toString());
                    expectNothing(consumer);
                }
            }
        }
    }

    @Test
    void aMessageThatIsPutOffComesFromTheRetryTopicAndInTheEndFromTheDeadLetterTopic() throws Exception {
        try (Producer<byte[]> producer = single("later");
                Consumer<byte[]> consumer = shared("later")
                        .enableRetry(true)
                        .deadLetterPolicy(
                                DeadLetterPolicy.builder().maxRedeliverCount(2).build())
                        .subscribe();
                Consumer<byte[]> letters = subscribe("later-s-DLQ").subscribe()) {
            send(producer, 9);
            Set<String> topics = new HashSet<>();
            for (int times = 0; times < 3; times++) {
                Message<byte[]> message = next(consumer);
                assertThat(value(message)).isEqualTo(9);
                topics.add(message.getTopicName());
                consumer.reconsumeLater(message, 50, TimeUnit.MILLISECONDS);
            }
            assertThat(topics).hasSize(2).anyMatch(name -> name.endsWith("later-s-RETRY"));
            assertThat(value(next(letters))).isEqualTo(9);
        }
    }

    @Test
    void consumersOfALowerLevelGetWhatTheOthersHaveNoRoomFor() throws Exception {
        try (Producer<byte[]> producer = single("t");
                Consumer<byte[]> first =
                        shared("t").priorityLevel(0).receiverQueueSize(3).subscribe();
                Consumer<byte[]> alsoFirst =
                        shared("t").priorityLevel(0).receiverQueueSize(3).subscribe();
                Consumer<byte[]> second = shared("t").priorityLevel(1).subscribe()) {
            for (int i = 0; i < 10; i++) {
                send(producer, i);
            }
            List<Integer> low = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                low.add(value(next(second)));
            }
            assertThat(low).containsExactly(6, 7, 8, 9);
            Set<Integer> high = new HashSet<>();
            for (int i = 0; i < 3; i++) {
                high.add(value(next(first)));
                high.add(value(next(alsoFirst)));
            }
            assertThat(high).containsExactlyInAnyOrder(0, 1, 2, 3, 4, 5);
        }
    }

    @Test
    void aConsumerThatStartsPausedGetsNothingUntilItGoesOn() throws Exception {
        try (Producer<byte[]> producer = single("t");
                Consumer<byte[]> consumer = shared("t").startPaused(true).subscribe()) {
            send(producer, 1);
            expectNothing(consumer);
            consumer.resume();
            expect(consumer, 1);
        }
    }

    @Test
    void eachPartitionIsSoughtWhereTheFunctionSays() throws Exception {
        gateway.broker().createTopic("parts", 3);
        try (Producer<byte[]> producer = single("parts");
                Consumer<byte[]> consumer = subscribe("parts").subscribe()) {
            for (int i = 0; i < 30; i++) {
                producer.newMessage().key("k" + i).value(bytes(i)).send();
            }
            Set<Integer> ofFirst = new HashSet<>();
            for (int i = 0; i < 30; i++) {
                Message<byte[]> message = next(consumer);
                if (message.getTopicName().endsWith("-partition-0")) {
                    ofFirst.add(value(message));
                }
                consumer.acknowledge(message);
            }
            assertThat(ofFirst).isNotEmpty().hasSizeLessThan(30);
            consumer.seek(partition -> partition.endsWith("-partition-0") ? MessageId.earliest : MessageId.latest);
            Set<Integer> again = new HashSet<>();
            for (int i = 0; i < ofFirst.size(); i++) {
                again.add(value(next(consumer)));
            }
            assertThat(again).isEqualTo(ofFirst);
            expectNothing(consumer);
        }
    }
}
