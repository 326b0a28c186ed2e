package io.sluice.kafka.handler;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.broker.TestBroker;
import io.sluice.broker.cluster.SingleNode;
import io.sluice.broker.log.PartitionLog;
import io.sluice.broker.topic.Topic;
import io.sluice.kafka.api.KafkaServices;
import io.sluice.testing.ExpectedLog;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

@ExpectedLog("A question to partition")
class PartitionWorkTest {
    private final TestBroker broker = TestBroker.startWith(1);
    private final Topic topic = broker.createTopic("t", 3);
    private final CompletableFuture<Boolean> allDone = new CompletableFuture<>();
    private final PartitionWork work = new PartitionWork(
            new KafkaServices(
                    broker.catalogue(),
                    broker.partitions(),
                    () -> 1,
                    Runnable::run,
                    () -> 1,
                    new SingleNode("cluster", 1)),
            () -> allDone.complete(true));

    @AfterEach
    void stop() {
        broker.close();
    }

    private List<String> ask(int partition, Consumer<Runnable> answers) {
        List<String> told = new ArrayList<>();
        work.add(topic, partition, new PartitionWork.Question() {
            @Override
            public void ask(PartitionLog log, Runnable done) {
                told.add("asked");
                answers.accept(done);
            }

            @Override
            public void fail(Errors error) {
                told.add(error.name());
            }
        });
        return told;
    }

    /** A request without an answer holds up its connection for ever. */
    @Test
    void aQuestionThatBreaksFailsAloneAndTheRequestIsAnswered() throws Exception {
        List<String> first = ask(0, Runnable::run);
        List<String> second = ask(1, done -> {
            throw new IllegalStateException("planted");
        });
        List<String> third = ask(2, Runnable::run);
        work.start();
        assertThat(allDone.get(30, TimeUnit.SECONDS)).isTrue();
        assertThat(first).containsExactly("asked");
        assertThat(second).containsExactly("asked", "UNKNOWN_SERVER_ERROR");
        assertThat(third).containsExactly("asked");
    }

    @Test
    void aQuestionThatBreaksAfterItsAnswerIsAnsweredOnce() throws Exception {
        List<String> first = ask(0, done -> {
            done.run();
            throw new IllegalStateException("planted");
        });
        List<String> second = ask(1, Runnable::run);
        work.start();
        assertThat(allDone.get(30, TimeUnit.SECONDS)).isTrue();
        assertThat(first).containsExactly("asked");
        assertThat(second).containsExactly("asked");
    }

    @Test
    void partitionsOfAContainerThatStoppedAreNotServed() throws Exception {
        List<String> told = ask(0, Runnable::run);
        broker.containers().stop(0);
        work.start();
        assertThat(allDone.get(30, TimeUnit.SECONDS)).isTrue();
        assertThat(told).containsExactly("NOT_LEADER_OR_FOLLOWER");
    }
}
