package io.sluice.pulsar;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.sluice.broker.log.PartitionLog;
import io.sluice.broker.topic.TopicName;
import io.sluice.pulsar.wire.Replies;
import io.sluice.store.segment.InMemoryContainer;
import io.sluice.store.segment.LoopTask;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.apache.pulsar.common.api.proto.BaseCommand;
import org.apache.pulsar.common.api.proto.ProducerAccessMode;
import org.apache.pulsar.common.protocol.Commands;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * A producer that is overtaken the moment it is created: its PRODUCER gets one answer, and nothing comes before that answer.
 * Which one depends on whether the topic epoch was durable before the other producer came.
 */
@Timeout(90)
class TakenOverProducerTest {
    private static final TopicName TOPIC = TopicName.ofDefault("t");
    private static final int TIMES = 20;
    private static final long FIRST = 1;
    private static final long SECOND = 2;
    private static final long THIRD = 3;

    private TestGateway gateway;
    private RawClient raw;
    private PartitionLog log;

    @BeforeEach
    void start() throws Exception {
        gateway = TestGateway.start();
        raw = RawClient.connect(gateway);
        gateway.broker().createTopic(TOPIC, 1, false);
        log = gateway.broker().partition(TOPIC, 0);
    }

    @AfterEach
    void stop() throws Exception {
        raw.close();
        gateway.close();
    }

    private static ByteBuf producer(long id, ProducerAccessMode mode) {
        BaseCommand command = new BaseCommand().setType(BaseCommand.Type.PRODUCER);
        command.setProducer()
                .setTopic(TOPIC.toString())
                .setProducerId(id)
                .setRequestId(id)
                .setProducerAccessMode(mode);
        return Commands.serializeWithSize(command);
    }

    private InMemoryContainer container() {
        return gateway.broker().containers().get(log.container().id());
    }

    /** Returns when the commands written so far wait for the container's loop, or have been there. */
    private void awaitRouted() throws Exception {
        raw.write(Replies.ping());
        raw.expect(BaseCommand.Type.PONG);
    }

    private void awaitJoined() throws Exception {
        awaitRouted();
        gateway.broker().onLoop(log, () -> null);
    }

    /** What the client is told until the second producer is there, which is the last to be answered. */
    private List<String> toldUntilTheSecondIsThere() throws Exception {
        List<String> told = new ArrayList<>();
        while (!told.contains("created 2")) {
            BaseCommand answer = raw.read();
            told.add(
                    switch (answer.getType()) {
                        case PRODUCER_SUCCESS ->
                            "created " + answer.getProducerSuccess().getRequestId();
                        case CLOSE_PRODUCER ->
                            "closed " + answer.getCloseProducer().getProducerId();
                        case ERROR ->
                            answer.getError().getError() + " "
                                    + answer.getError().getRequestId();
                        default -> answer.getType().name();
                    });
        }
        return told;
    }

    @Test
    void whoIsThereBeforeTheOtherComesIsCreatedAndThenClosed() throws Exception {
        for (int i = 0; i < TIMES; i++) {
            container().hold();
            raw.write(producer(FIRST, ProducerAccessMode.WaitForExclusive));
            awaitJoined();
            // the first becomes durable at the end of one turn of the loop, the second comes with the next
            CompletableFuture<Void> turn = new CompletableFuture<>();
            CompletableFuture<Void> second = new CompletableFuture<>();
            container().execute(LoopTask.of(() -> {
                turn.complete(null);
                second.join();
            }));
            turn.join();
            raw.write(producer(SECOND, ProducerAccessMode.ExclusiveWithFencing));
            awaitRouted();
            container().release();
            second.complete(null);

            assertThat(toldUntilTheSecondIsThere()).containsExactly("created 1", "closed 1", "created 2");
            raw.write(Commands.newCloseProducer(SECOND, SECOND));
            raw.expect(BaseCommand.Type.SUCCESS);
        }
    }

    @Test
    void whoIsNotThereYetWhenTheOtherComesIsFenced() throws Exception {
        container().hold();
        raw.write(Unpooled.wrappedBuffer(
                producer(FIRST, ProducerAccessMode.WaitForExclusive),
                producer(SECOND, ProducerAccessMode.ExclusiveWithFencing)));
        awaitJoined();
        container().release();

        assertThat(toldUntilTheSecondIsThere()).containsExactly("ProducerFenced 1", "created 2");
    }

    @Test
    void whoWaitsForItsTurnWhenTheOtherComesIsFenced() throws Exception {
        raw.write(producer(THIRD, ProducerAccessMode.Exclusive));
        raw.expect(BaseCommand.Type.PRODUCER_SUCCESS);
        raw.write(Unpooled.wrappedBuffer(
                producer(FIRST, ProducerAccessMode.WaitForExclusive),
                producer(SECOND, ProducerAccessMode.ExclusiveWithFencing)));

        // the first answer to a waiting producer says that it waits
        assertThat(toldUntilTheSecondIsThere())
                .containsExactly("created 1", "ProducerFenced 1", "closed 3", "created 2");
    }
}
