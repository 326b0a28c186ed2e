package io.sluice.kafka.handler;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.Unpooled;
import io.sluice.broker.TestBroker;
import io.sluice.broker.log.PartitionLog;
import io.sluice.kafka.api.ProduceTransactions;
import io.sluice.store.segment.InMemoryContainers;
import io.sluice.store.segment.LoopTask;
import io.sluice.store.segment.StoreFailure;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.message.ProduceResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.SimpleRecord;
import org.apache.kafka.common.requests.RequestHeader;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Requests of one producer are appended in the order in which they came, although the coordinator is asked before the first. */
class ProduceSequenceTest {
    private static final short VERSION = 12;
    private static final long PRODUCER = 7;

    private final TestBroker broker = TestBroker.start();

    /** The coordinator's answers that are not given yet. */
    private final List<Consumer<Errors>> asked = new ArrayList<>();

    private boolean answersAtOnce;
    private int questions;

    private final ProduceTransactions coordinator = (id, producer, epoch, topic, partition, use, answer) -> {
        questions++;
        if (answersAtOnce) {
            answer.accept(Errors.NONE);
        } else {
            asked.add(answer);
        }
    };

    @AfterEach
    void stop() {
        broker.close();
    }

    private PartitionLog log() {
        broker.createTopic("t", 1);
        return broker.partition("t", 0);
    }

    private CollectedAnswer produce(PartitionLog log, int sequence) {
        var batch = MemoryRecords.withTransactionalRecords(
                Compression.NONE, PRODUCER, (short) 0, sequence, new SimpleRecord(new byte[] {1}));
        var part = new ProducePart("t", Uuid.ZERO_UUID, 0);
        part.in(new ProduceTransaction(coordinator, "id", ProduceTransactions.Use.ADD, "t", 0));
        part.append(log, Unpooled.copiedBuffer(batch.buffer()), -1);
        var answer = new CollectedAnswer(new RequestHeader(ApiKeys.PRODUCE, VERSION, "test", 1));
        new ProduceOperation(answer, TestServices.over(broker), (short) -1, List.of(part), null).start(20_000);
        return answer;
    }

    /** All that was submitted has run. */
    private static void await(PartitionLog log) throws Exception {
        var ran = new CompletableFuture<Void>();
        log.container().executeAppend(new LoopTask() {
            @Override
            public void run() {
                ran.complete(null);
            }

            @Override
            public void abandoned(StoreFailure why) {
                ran.completeExceptionally(new IllegalStateException(why.message()));
            }
        });
        ran.get(20, TimeUnit.SECONDS);
    }

    private static Errors error(CollectedAnswer answer) throws Exception {
        var data = (ProduceResponseData) answer.answer().get(20, TimeUnit.SECONDS);
        return Errors.forCode(data.responses()
                .iterator()
                .next()
                .partitionResponses()
                .getFirst()
                .errorCode());
    }

    @Test
    void whatComesWhenTheTransactionIsOpenDoesNotOvertakeWhatCameBefore() throws Exception {
        PartitionLog log = log();
        List<CollectedAnswer> answers = new ArrayList<>();
        for (int sequence = 0; sequence < 3; sequence++) {
            answers.add(produce(log, sequence));
        }
        await(log);
        List<Consumer<Errors>> questions = List.copyOf(asked);
        questions.getFirst().accept(Errors.NONE);
        await(log);
        answers.add(produce(log, 3));
        await(log);
        questions.stream().skip(1).forEach(question -> question.accept(Errors.NONE));
        for (CollectedAnswer answer : answers) {
            assertThat(error(answer)).isEqualTo(Errors.NONE);
        }
    }

    /** As every coordinator of this process does. */
    @Test
    void anAnswerAtOnceIsGoneOnWithInTheSameTurn() throws Exception {
        PartitionLog log = log();
        answersAtOnce = true;
        CollectedAnswer first = produce(log, 0);
        CompletableFuture<Boolean> openInNextTask = new CompletableFuture<>();
        log.container().execute(new LoopTask() {
            @Override
            public void run() {
                openInNextTask.complete(log.transactions().isOpen(PRODUCER, (short) 0));
            }

            @Override
            public void abandoned(StoreFailure why) {
                openInNextTask.completeExceptionally(new IllegalStateException(why.message()));
            }
        });
        CollectedAnswer second = produce(log, 1);
        assertThat(openInNextTask.get(20, TimeUnit.SECONDS)).isTrue();
        assertThat(error(first)).isEqualTo(Errors.NONE);
        assertThat(error(second)).isEqualTo(Errors.NONE);
        assertThat(questions).isEqualTo(1);
    }

    @Test
    void batchesThatFindNoRoomBehindAVerifiedOneAreSentAgain() throws Exception {
        PartitionLog log = log();
        List<CollectedAnswer> answers = new ArrayList<>();
        for (int sequence = 0; sequence < 3; sequence++) {
            answers.add(produce(log, sequence));
        }
        await(log);
        InMemoryContainers containers = broker.containers();
        int id = log.container().id();
        containers.onLoop(id, () -> {
            containers.get(id).fillAfter(1);
            return null;
        });
        asked.removeFirst().accept(Errors.NONE);
        assertThat(error(answers.get(0))).isEqualTo(Errors.NONE);
        assertThat(error(answers.get(1))).isEqualTo(Errors.REQUEST_TIMED_OUT);
        assertThat(error(answers.get(2))).isEqualTo(Errors.REQUEST_TIMED_OUT);
        containers.get(id).makeRoom();
        assertThat(error(produce(log, 1))).isEqualTo(Errors.NONE);
        assertThat(error(produce(log, 2))).isEqualTo(Errors.NONE);
    }

    @Test
    void whatIsLaterIsRefusedWithWhatIsEarlier() throws Exception {
        PartitionLog log = log();
        CollectedAnswer first = produce(log, 0);
        CollectedAnswer second = produce(log, 1);
        await(log);
        asked.removeFirst().accept(Errors.NOT_ENOUGH_REPLICAS);
        assertThat(error(first)).isEqualTo(Errors.NOT_ENOUGH_REPLICAS);
        assertThat(error(second)).isEqualTo(Errors.NOT_ENOUGH_REPLICAS);
        assertThat(asked).isEmpty();

        CollectedAnswer again = produce(log, 0);
        await(log);
        asked.removeFirst().accept(Errors.NONE);
        assertThat(error(again)).isEqualTo(Errors.NONE);
    }
}
