package io.sluice.server.containers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.broker.log.PartitionLog;
import io.sluice.broker.topic.Partitions;
import io.sluice.broker.topic.TopicName;
import io.sluice.store.container.Container;
import io.sluice.store.segment.LoopTask;
import io.sluice.store.segment.StoreException;
import io.sluice.store.segment.StoreFailure;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.errors.NotLeaderOrFollowerException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Two owners of one container, over one metadata store and one bookie. What keeps them apart is the log's fencing: the first
 * is cut off in such a way that it cannot know that its lease has run out, but where a test says otherwise.
 */
class OwnershipTest {
    private static final TopicName TOPIC = TopicName.ofDefault("owned");
    private static final int BODY = 1_000;

    @TempDir
    private Path folder;

    private SharedStore shared;
    private TestNode first;
    private TestNode second;

    @BeforeEach
    void start() throws Exception {
        shared = SharedStore.start(folder);
        first = new TestNode("first", shared);
        assertThat(first.nextEvent()).isEqualTo("serving");
        first.broker().catalogue().create(TOPIC, 1, true, false, Map.of()).get(30, TimeUnit.SECONDS);
        second = new TestNode("second", shared);
    }

    @AfterEach
    void stop() throws Exception {
        second.close();
        first.close();
        shared.close();
    }

    /** Appends without end, one after the other, and remembers what was acknowledged. */
    private static final class Writer {
        final List<Long> acknowledged = new ArrayList<>();
        final CompletableFuture<StoreFailure> refused = new CompletableFuture<>();
        private final PartitionLog log;
        private long next;

        Writer(PartitionLog log) {
            this.log = log;
        }

        /** Each answer starts the next append, so one is always under way. */
        void run() {
            long number = next++;
            PartitionCalls.append(log, number, BODY).whenComplete((offset, failure) -> {
                if (failure instanceof StoreException known) {
                    refused.complete(known.failure());
                } else if (failure != null) {
                    refused.completeExceptionally(failure);
                } else {
                    acknowledged.add(number);
                    run();
                }
            });
        }
    }

    @Test
    void theSecondTakesOverWhenTheLeaseHasRunOutAndTheFirstIsFenced() throws Exception {
        var writer = new Writer(first.log(TOPIC));
        writer.run();
        long cutAt = System.nanoTime();
        first.cutOffUnawares();
        assertThat(second.containers.allServing()).isFalse();

        assertThat(second.nextEvent()).isEqualTo("serving");
        long waited = System.nanoTime() - cutAt;
        assertThat(waited).isGreaterThan(TestNode.LEASE.toNanos() / 2);
        assertThat(waited).isLessThan(TestNode.LEASE.plusSeconds(30).toNanos());
        assertThat(writer.refused.get(30, TimeUnit.SECONDS)).isInstanceOf(StoreFailure.NotOwner.class);
        assertThat(first.nextEvent()).isEqualTo("stopped");
        assertThat(first.containers.served()).isEmpty();

        // Everything acknowledged by the first was there before the second began; what the second acknowledges comes
        // after.
        PartitionLog log = second.log(TOPIC);
        List<Long> stored = PartitionCalls.readAll(log);
        assertThat(writer.acknowledged).isNotEmpty();
        assertThat(stored).startsWith(writer.acknowledged.toArray(Long[]::new));
        assertThat(stored.size() - writer.acknowledged.size()).isBetween(0, 1);
        assertThat(PartitionCalls.append(log, 77, BODY).get(30, TimeUnit.SECONDS))
                .isEqualTo(stored.size());
    }

    @Test
    void anOwnerThatWasPausedPastItsLeaseIsFencedWhenItGoesOn() throws Exception {
        PartitionLog log = first.log(TOPIC);
        assertThat(PartitionCalls.append(log, 0, BODY).get(30, TimeUnit.SECONDS))
                .isZero();
        var goOn = new CountDownLatch(1);
        first.cutOffUnawares();
        hold(first.containers.served().getFirst(), goOn);
        CompletableFuture<Long> late = PartitionCalls.append(log, 1, BODY);

        assertThat(second.nextEvent()).isEqualTo("serving");
        PartitionLog taken = second.log(TOPIC);
        assertThat(PartitionCalls.append(taken, 2, BODY).get(30, TimeUnit.SECONDS))
                .isEqualTo(1);
        assertThat(late).isNotDone();
        assertThat(first.containers.allServing()).isTrue();
        goOn.countDown();
        assertThatThrownBy(() -> late.get(30, TimeUnit.SECONDS)).satisfies(OwnershipTest::isNotOwner);
        assertThat(first.nextEvent()).isEqualTo("stopped");
        assertThat(PartitionCalls.append(taken, 3, BODY).get(30, TimeUnit.SECONDS))
                .isEqualTo(2);
        assertThat(PartitionCalls.readAll(taken)).containsExactly(0L, 2L, 3L);
    }

    @Test
    void anOwnerStopsWhenItsLeaseHasRunOutThoughTheMetadataDoesNotAnswer() throws Exception {
        Partitions partitions = first.broker().partitions();
        PartitionLog log = Objects.requireNonNull(partitions.find(TOPIC, 0));
        var goOn = new CountDownLatch(1);
        hold(first.containers.served().getFirst(), goOn);
        first.metadata.cut();

        assertThat(second.nextEvent()).isEqualTo("serving");
        // Its loop is stuck, so it has not stopped yet; nobody is let in to read all the same.
        assertThat(partitions.find(TOPIC, 0)).isNull();
        CompletableFuture<Long> late = PartitionCalls.append(log, 1, BODY);
        goOn.countDown();
        assertThat(first.nextEvent()).isEqualTo("stopped");
        assertThatThrownBy(() -> late.get(30, TimeUnit.SECONDS)).satisfies(OwnershipTest::isNotOwner);
    }

    /** A loop that died of it would leave the container leased, its requests unanswered and its reads stale. */
    @Test
    void anErrorOnTheLoopEndsTheTermAndTheContainerIsServedAgain() throws Exception {
        PartitionLog log = first.log(TOPIC);
        assertThat(PartitionCalls.append(log, 0, BODY).get(30, TimeUnit.SECONDS))
                .isZero();
        var goOn = new CountDownLatch(1);
        hold(first.containers.served().getFirst(), goOn);
        log.container().execute(LoopTask.of(() -> {
            throw new NoClassDefFoundError("planted");
        }));
        CompletableFuture<Long> waiting = PartitionCalls.append(log, 1, BODY);
        goOn.countDown();
        assertThatThrownBy(() -> waiting.get(30, TimeUnit.SECONDS)).satisfies(OwnershipTest::isNotOwner);
        assertThat(first.nextEvent()).isEqualTo("stopped");

        CompletableFuture<TestNode> owner = new CompletableFuture<>();
        for (TestNode node : List.of(first, second)) {
            Thread.ofVirtual().start(() -> {
                try {
                    if (node.nextEvent().equals("serving")) {
                        owner.complete(node);
                    }
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            });
        }
        PartitionLog again = owner.get(60, TimeUnit.SECONDS).log(TOPIC);
        // the one that was refused may have come to the log before its term ended
        assertThat(PartitionCalls.append(again, 2, BODY).get(30, TimeUnit.SECONDS))
                .isBetween(1L, 2L);
    }

    private static void isNotOwner(Throwable thrown) {
        Throwable cause = thrown instanceof ExecutionException || thrown instanceof CompletionException
                ? thrown.getCause()
                : thrown;
        assertThat(cause)
                .isInstanceOfSatisfying(
                        StoreException.class,
                        refused -> assertThat(refused.failure()).isInstanceOf(StoreFailure.NotOwner.class));
    }

    private static void hold(Container container, CountDownLatch until) {
        container.segments().execute(LoopTask.of(() -> {
            try {
                until.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }));
    }

    @Test
    void aKafkaProducerIsToldToLookForTheLeaderAndLosesNothing() throws Exception {
        int port = first.kafka(first.broker());
        try (var patient = producer(port, Map.of("delivery.timeout.ms", 60_000));
                var impatient = producer(port, Map.of("retries", 0, "enable.idempotence", false))) {
            send(patient, 0).get(30, TimeUnit.SECONDS);
            send(impatient, 1).get(30, TimeUnit.SECONDS);
            first.cutOffUnawares();
            assertThat(second.nextEvent()).isEqualTo("serving");

            Future<RecordMetadata> kept = send(patient, 2);
            assertThatThrownBy(() -> send(impatient, 3).get(30, TimeUnit.SECONDS))
                    .hasCauseInstanceOf(NotLeaderOrFollowerException.class);
            assertThat(first.nextEvent()).isEqualTo("stopped");
            assertThat(kept.isDone()).isFalse();

            // The first can be reached again and takes over from the second, which leaves in good order.
            first.comeBack();
            second.close();
            assertThat(first.nextEvent()).isEqualTo("serving");
            assertThat(kept.get(30, TimeUnit.SECONDS).offset()).isEqualTo(2);
        }
    }

    private static KafkaProducer<byte[], byte[]> producer(int port, Map<String, Object> more) {
        Map<String, Object> settings = new java.util.HashMap<>(more);
        settings.put("bootstrap.servers", "127.0.0.1:" + port);
        settings.putIfAbsent("delivery.timeout.ms", 20_000);
        settings.put("request.timeout.ms", 10_000);
        settings.put("linger.ms", 0);
        return new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer());
    }

    private static Future<RecordMetadata> send(KafkaProducer<byte[], byte[]> producer, int number) {
        return producer.send(new ProducerRecord<>("owned", 0, null, new byte[] {(byte) number}));
    }
}
