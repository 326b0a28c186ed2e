package io.sluice.pulsar;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.broker.topic.Topic;
import io.sluice.broker.topic.TopicName;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.client.api.Message;
import org.apache.pulsar.client.api.MessageId;
import org.apache.pulsar.client.api.MessageIdAdv;
import org.apache.pulsar.client.api.Producer;
import org.apache.pulsar.client.api.PulsarClient;
import org.apache.pulsar.client.api.Reader;
import org.apache.pulsar.client.api.Schema;
import org.apache.pulsar.client.api.SubscriptionInitialPosition;
import org.apache.pulsar.client.api.SubscriptionType;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The stock client while its topic moves from container to container under its feet. */
@Timeout(120)
class MovedPartitionsTest {
    private static final int MOVES = 20;
    /** Messages that have their receipts before the first move. */
    private static final int FIRST = 100;

    private static final TopicName NAME = TopicName.ofDefault("t");

    private TestGateway gateway;
    private PulsarClient client;

    @BeforeEach
    void start() throws Exception {
        gateway = TestGateway.start();
        gateway.broker().createTopic(NAME, 1, false);
        client = PulsarClient.builder()
                .serviceUrl("pulsar://127.0.0.1:" + gateway.port())
                .startingBackoffInterval(10, TimeUnit.MILLISECONDS)
                .maxBackoffInterval(200, TimeUnit.MILLISECONDS)
                .build();
    }

    @AfterEach
    void close() throws Exception {
        client.close();
        gateway.close();
    }

    private Topic topic() {
        Topic found = gateway.broker().catalogue().find(NAME);
        if (found == null) {
            throw new AssertionError("the topic is gone");
        }
        return found;
    }

    private void moveAbout() {
        for (int i = 0; i < MOVES; i++) {
            int other = 1 - topic().partitions().getFirst().container();
            gateway.broker().catalogue().move(NAME, 0, other).join();
        }
    }

    /** @param begun done when the first messages have their receipts: what is moved before that shows nothing */
    private List<MessageId> produce(CompletableFuture<Void> begun, AtomicBoolean enough, boolean batching)
            throws Exception {
        List<CompletableFuture<MessageId>> sent = new ArrayList<>();
        try (Producer<Integer> producer = client.newProducer(Schema.INT32)
                .topic("t")
                .enableBatching(batching)
                .blockIfQueueFull(true)
                .sendTimeout(60, TimeUnit.SECONDS)
                .create()) {
            while (!enough.get()) {
                sent.add(producer.sendAsync(sent.size()));
                if (sent.size() % FIRST == 0) {
                    producer.flush();
                    begun.complete(null);
                }
            }
            producer.flush();
        }
        List<MessageId> ids = new ArrayList<>();
        for (CompletableFuture<MessageId> answer : sent) {
            ids.add(answer.get(60, TimeUnit.SECONDS));
        }
        return ids;
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void producersAndConsumersGoOnAndNothingIsLostOrDoubled(boolean batching) throws Exception {
        AtomicBoolean enough = new AtomicBoolean();
        List<Integer> inOrder = new ArrayList<>();
        Set<Integer> shared = new HashSet<>();
        try (Consumer<Integer> exclusive = subscribe("exclusive", SubscriptionType.Exclusive);
                Consumer<Integer> sharing = subscribe("shared", SubscriptionType.Shared)) {
            CompletableFuture<Void> begun = new CompletableFuture<>();
            CompletableFuture<List<MessageId>> produced = new CompletableFuture<>();
            Thread.ofVirtual().start(() -> {
                try {
                    produced.complete(produce(begun, enough, batching));
                } catch (Exception e) {
                    produced.completeExceptionally(e);
                    begun.completeExceptionally(e);
                }
            });
            CompletableFuture<Void> moving = begun.thenRunAsync(this::moveAbout);
            while (!moving.isDone()) {
                take(exclusive, inOrder);
                take(sharing, shared);
            }
            moving.join();
            enough.set(true);
            List<MessageId> ids = produced.get(60, TimeUnit.SECONDS);
            assertThat(ids)
                    .as(
                            "what the old place took has its receipt before the client hears of the move, and is not sent again")
                    .allMatch(id -> ((MessageIdAdv) id).getLedgerId() >= 0)
                    .isSorted()
                    .doesNotHaveDuplicates();
            while (inOrder.isEmpty() || inOrder.getLast() < ids.size() - 1) {
                take(exclusive, inOrder);
            }
            while (shared.size() < ids.size()) {
                take(sharing, shared);
            }
            assertThat(withoutRedelivered(inOrder)).hasSize(ids.size());
            readAll(ids);
        }
        assertThat(topic().partitions().getFirst().earlier()).hasSizeGreaterThanOrEqualTo(MOVES);
    }

    private Consumer<Integer> subscribe(String name, SubscriptionType type) throws Exception {
        return client.newConsumer(Schema.INT32)
                .topic("t")
                .subscriptionName(name)
                .subscriptionType(type)
                .subscriptionInitialPosition(SubscriptionInitialPosition.Earliest)
                .subscribe();
    }

    private static void take(Consumer<Integer> from, java.util.Collection<Integer> into) throws Exception {
        for (int n = 0; n < 50; n++) {
            Message<Integer> message = from.receive(20, TimeUnit.MILLISECONDS);
            if (message == null) {
                return;
            }
            into.add(message.getValue());
            from.acknowledgeAsync(message);
        }
    }

    /** After a reconnect what was not acknowledged comes again, from there on and in order. */
    private static List<Integer> withoutRedelivered(List<Integer> received) {
        List<Integer> once = new ArrayList<>();
        for (int value : received) {
            assertThat(value).isLessThanOrEqualTo(once.size());
            if (value == once.size()) {
                once.add(value);
            }
        }
        return once;
    }

    /** Through every segment of the chain; the ids are those that the producer was told. */
    private void readAll(List<MessageId> ids) throws Exception {
        try (Reader<Integer> reader = client.newReader(Schema.INT32)
                .topic("t")
                .startMessageId(MessageId.earliest)
                .create()) {
            for (int i = 0; i < ids.size(); i++) {
                Message<Integer> message = reader.readNext(30, TimeUnit.SECONDS);
                assertThat(message.getValue()).isEqualTo(i);
                assertThat(message.getMessageId()).isEqualByComparingTo(ids.get(i));
            }
            int middle = ids.size() / 2;
            reader.seek(ids.get(middle));
            assertThat(reader.readNext(30, TimeUnit.SECONDS).getValue()).isEqualTo(middle + 1);
        }
    }
}
