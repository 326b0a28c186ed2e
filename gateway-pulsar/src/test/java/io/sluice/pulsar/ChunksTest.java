package io.sluice.pulsar;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.client.api.Message;
import org.apache.pulsar.client.api.MessageId;
import org.apache.pulsar.client.api.Producer;
import org.apache.pulsar.client.api.PulsarClientException;
import org.apache.pulsar.client.api.SubscriptionInitialPosition;
import org.apache.pulsar.client.api.SubscriptionType;
import org.apache.pulsar.common.api.proto.BaseCommand;
import org.apache.pulsar.common.api.proto.CommandAck.AckType;
import org.apache.pulsar.common.api.proto.CommandMessage;
import org.apache.pulsar.common.api.proto.CommandSubscribe.InitialPosition;
import org.apache.pulsar.common.api.proto.CommandSubscribe.SubType;
import org.apache.pulsar.common.api.proto.MessageIdData;
import org.apache.pulsar.common.protocol.Commands;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Messages in chunks, where several consumers share a subscription. */
class ChunksTest extends ClientTest {
    private static final int CHUNK = 1_000;

    private Producer<byte[]> chunking(String name) throws PulsarClientException {
        return client.newProducer()
                .topic("t")
                .producerName(name)
                .enableBatching(false)
                .enableChunking(true)
                .chunkMaxMessageSize(CHUNK)
                .create();
    }

    /** Ten chunks or so, the first of its bytes says which. */
    private static byte[] large(int value) {
        byte[] bytes = new byte[9 * CHUNK];
        Arrays.fill(bytes, (byte) value);
        return bytes;
    }

    private static int check(Message<byte[]> message) {
        int value = message.getData()[0];
        assertThat(message.getData()).isEqualTo(large(value));
        return value;
    }

    private Consumer<byte[]> consumer(SubscriptionType type) throws PulsarClientException {
        return client.newConsumer()
                .topic("t")
                .subscriptionName("s")
                .subscriptionType(type)
                .subscriptionInitialPosition(SubscriptionInitialPosition.Earliest)
                .receiverQueueSize(100)
                .negativeAckRedeliveryDelay(50, TimeUnit.MILLISECONDS)
                .subscribe();
    }

    /** Each consumer gives every third message back once; two producers send at the same time. */
    @ParameterizedTest
    @EnumSource(
            value = SubscriptionType.class,
            names = {"Shared", "Key_Shared"})
    void everyMessageIsPutTogetherBySomebody(SubscriptionType type) throws Exception {
        int messages = 60;
        Set<Integer> done = ConcurrentHashMap.newKeySet();
        AtomicInteger nacked = new AtomicInteger();
        List<Consumer<byte[]>> consumers = new ArrayList<>();
        Set<MessageId> givenBack = ConcurrentHashMap.newKeySet();
        for (int i = 0; i < 4; i++) {
            consumers.add(subscribe("t")
                    .subscriptionType(type)
                    .receiverQueueSize(7)
                    .negativeAckRedeliveryDelay(50, TimeUnit.MILLISECONDS)
                    .messageListener((consumer, message) -> {
                        int value = check(message);
                        if (value % 3 == 0 && givenBack.add(message.getMessageId())) {
                            nacked.incrementAndGet();
                            consumer.negativeAcknowledge(message);
                        } else {
                            done.add(value);
                            consumer.acknowledgeAsync(message);
                        }
                    })
                    .subscribe());
        }
        try (Producer<byte[]> one = chunking("one");
                Producer<byte[]> two = chunking("two")) {
            List<CompletableFuture<MessageId>> sent = new ArrayList<>();
            for (int i = 0; i < messages; i++) {
                Producer<byte[]> from = i % 2 == 0 ? one : two;
                sent.add(from.newMessage().key("k" + i % 5).value(large(i)).sendAsync());
            }
            for (CompletableFuture<MessageId> s : sent) {
                s.get(SOON, TimeUnit.SECONDS);
            }
            await().atMost(30, TimeUnit.SECONDS)
                    .untilAsserted(() -> assertThat(done).hasSize(messages));
            assertThat(nacked.get()).isGreaterThanOrEqualTo(messages / 3);
        } finally {
            for (Consumer<byte[]> c : consumers) {
                c.close();
            }
        }
    }

    private static RawClient subscribeRaw(TestGateway gateway, SubType type, String name) throws IOException {
        RawClient raw = RawClient.connect(gateway);
        raw.write(Commands.newSubscribe(
                "persistent://public/default/t",
                "s",
                1,
                1,
                type,
                0,
                name,
                true,
                null,
                Map.of(),
                false,
                false,
                InitialPosition.Earliest,
                0,
                null,
                true));
        raw.expect(BaseCommand.Type.SUCCESS);
        return raw;
    }

    private static List<Long> take(RawClient raw, int chunks) throws IOException {
        raw.write(Commands.newFlow(1, chunks));
        List<Long> taken = new ArrayList<>();
        for (int i = 0; i < chunks; i++) {
            CommandMessage m = raw.expect(BaseCommand.Type.MESSAGE).getMessage();
            taken.add(m.getMessageId().getEntryId());
        }
        return taken;
    }

    @Test
    void aConsumerThatDiesInTheMiddleLeavesAllChunksToAnother() throws Exception {
        try (RawClient dying = subscribeRaw(gateway, SubType.Shared, "dying");
                Producer<byte[]> producer = chunking("p")) {
            producer.send(large(1));
            producer.send(large(2));
            assertThat(take(dying, 4)).containsExactly(0L, 1L, 2L, 3L);
            try (Consumer<byte[]> first = consumer(SubscriptionType.Shared)) {
                // the second message need not wait for the one whose beginning is elsewhere
                Message<byte[]> second = next(first);
                assertThat(check(second)).isEqualTo(2);
                first.acknowledge(second);
                dying.close();
                Message<byte[]> whole = next(first);
                assertThat(check(whole)).isEqualTo(1);
                first.acknowledge(whole);
                expectNothing(first);
            }
        }
    }

    /** What is given back goes to the one who holds the rest. */
    @Test
    void chunksThatAreGivenBackStayWithTheRest() throws Exception {
        try (RawClient holding = subscribeRaw(gateway, SubType.Shared, "holding");
                Producer<byte[]> producer = chunking("p")) {
            producer.send(large(1));
            take(holding, 1);
            List<Long> rest = take(holding, 6);
            Consumer<byte[]> other = consumer(SubscriptionType.Shared);
            holding.write(Commands.newRedeliverUnacknowledgedMessages(
                    1,
                    rest.subList(2, 4).stream()
                            .map(entry -> new MessageIdData()
                                    .setLedgerId(
                                            gateway.broker().partition("t", 0).partitionId())
                                    .setEntryId(entry))
                            .toList()));
            Set<Long> again = new TreeSet<>(take(holding, 2));
            assertThat(again).isEqualTo(new HashSet<>(rest.subList(2, 4)));
            expectNothing(other);
        }
    }

    /** The key may belong to another consumer meanwhile, who must not get the rest either. */
    @Test
    void aMessageThatWasBegunIsFinishedThoughItsKeyHasMoved() throws Exception {
        try (RawClient begun = subscribeRaw(gateway, SubType.Key_Shared, "begun");
                Producer<byte[]> producer = chunking("p")) {
            for (int i = 0; i < 6; i++) {
                producer.newMessage().key("k" + i).value(large(i)).send();
            }
            take(begun, 3);
            List<Consumer<byte[]>> others = new ArrayList<>();
            for (int i = 0; i < 30; i++) {
                others.add(consumer(SubscriptionType.Key_Shared));
            }
            long chunks = gateway.broker().partition("t", 0).durableEnd() / 6;
            assertThat(take(begun, (int) chunks - 3))
                    .containsExactlyElementsOf(
                            LongStream.range(3, chunks).boxed().toList());
            for (Consumer<byte[]> c : others) {
                c.close();
            }
        }
    }

    /** Whoever acknowledges chunk by chunk gets the rest; it is of no use to anybody else. */
    @Test
    void chunksThatNobodyCanPutTogetherArePassedOver() throws Exception {
        try (Producer<byte[]> producer = chunking("p")) {
            producer.send(large(1));
            producer.send(large(2));
            try (RawClient raw = subscribeRaw(gateway, SubType.Shared, "raw")) {
                List<Long> taken = take(raw, 2);
                long segment = gateway.broker().partition("t", 0).partitionId();
                for (long entry : taken) {
                    raw.write(Commands.newAck(1, segment, entry, null, AckType.Individual, null, Map.of(), 7));
                    raw.expect(BaseCommand.Type.ACK_RESPONSE);
                }
                Consumer<byte[]> other = consumer(SubscriptionType.Shared);
                assertThat(take(raw, 1)).containsExactly(2L);
                assertThat(check(next(other))).isEqualTo(2);
                other.close();
            }
            try (Consumer<byte[]> consumer = consumer(SubscriptionType.Shared)) {
                assertThat(check(next(consumer))).isEqualTo(2);
            }
        }
    }
}
