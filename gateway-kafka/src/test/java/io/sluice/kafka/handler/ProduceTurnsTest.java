package io.sluice.kafka.handler;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.sluice.broker.TestBroker;
import io.sluice.broker.log.PartitionLog;
import io.sluice.kafka.format.BatchRules;
import io.sluice.kafka.format.HandMadeBatch;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.StreamSupport;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.message.ProduceResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.RequestHeader;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Batches that take long to check have a turn each, until their request's time is up. */
class ProduceTurnsTest {
    private static final short VERSION = 12;
    private static final int PATIENT_MILLIS = 20_000;
    private static final ByteBuf BATCH = Unpooled.unreleasableBuffer(
            Unpooled.wrappedBuffer(new HandMadeBatch().good(1, new byte[10]).build()));

    private final TestBroker broker = TestBroker.start();
    private final Semaphore turns = new Semaphore(1, true);

    @AfterEach
    void stop() {
        broker.close();
    }

    /** The answer to a request of batches that must be compressed again, each for its partition. */
    private CollectedAnswer produce(int partitions, int timeoutMs, AtomicLong nanos, long nanosPerLook) {
        broker.createTopic("t", partitions);
        var answer = new CollectedAnswer(new RequestHeader(ApiKeys.PRODUCE, VERSION, "test", 1));
        var request = new ProduceRequest(null, (short) -1, timeoutMs, List.of());
        var checks = new ProduceChecks(
                answer, request, BATCH, TestServices.over(broker), turns, () -> nanos.getAndAdd(nanosPerLook));
        var target = new ProduceHandler.Target(
                null, BatchRules.defaults(1000, true), Compression.snappy().build(), Errors.NONE, null);
        for (int i = 0; i < partitions; i++) {
            PartitionLog log = broker.partition("t", i);
            var records = new ProduceRequest.Partition(i, 0, BATCH.readableBytes());
            checks.add(new ProducePart("t", Uuid.ZERO_UUID, i), log, target, records);
        }
        checks.start(task -> Thread.ofVirtual().start(task));
        return answer;
    }

    private static List<Errors> errors(CollectedAnswer answer) throws Exception {
        var data = (ProduceResponseData) answer.answer().get(20, TimeUnit.SECONDS);
        return StreamSupport.stream(data.responses().spliterator(), false)
                .flatMap(topic -> topic.partitionResponses().stream())
                .map(part -> Errors.forCode(part.errorCode()))
                .toList();
    }

    @Test
    void thereAreAsManyTurnsAsProcessorsAndAsThereIsMemoryFor() {
        long eachTakes = 16 << 20;
        assertThat(ProduceHandler.turns(64 << 20, 2)).isEqualTo(2);
        assertThat(ProduceHandler.turns(64 << 20, 8)).isEqualTo(2);
        assertThat(ProduceHandler.turns(1L << 30, 8)).isEqualTo(8);
        assertThat(ProduceHandler.turns(eachTakes, 8)).isEqualTo(1);
    }

    @Test
    void aRequestWhoseTimeIsUpBeforeItsTurnIsAnsweredWithARetriableError() throws Exception {
        turns.acquire();
        assertThat(errors(produce(2, 1, new AtomicLong(), 0)))
                .containsExactly(Errors.REQUEST_TIMED_OUT, Errors.REQUEST_TIMED_OUT);
        turns.release();
        assertThat(turns.availablePermits()).isEqualTo(1);
    }

    @Test
    void aRequestThatHasItsTurnInTimeIsCheckedAndAppended() throws Exception {
        turns.acquire();
        CollectedAnswer answer = produce(2, PATIENT_MILLIS, new AtomicLong(), 0);
        assertThat(answer.answer()).isNotDone();
        turns.release();
        assertThat(errors(answer)).containsExactly(Errors.NONE, Errors.NONE);
        turns.acquire(); // it has given its turn back
    }

    /** The clock is looked at before each batch, and each look takes it a second further. */
    @Test
    void aRequestWhoseTimeIsUpGivesItsTurnAwayBetweenItsBatches() throws Exception {
        List<Errors> errors = errors(produce(10, 5_000, new AtomicLong(), TimeUnit.SECONDS.toNanos(1)));
        assertThat(errors).startsWith(Errors.NONE).endsWith(Errors.REQUEST_TIMED_OUT);
        assertThat(errors).containsOnly(Errors.NONE, Errors.REQUEST_TIMED_OUT);
        turns.acquire();
    }
}
