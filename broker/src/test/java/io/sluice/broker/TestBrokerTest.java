package io.sluice.broker;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.broker.log.Answers;
import io.sluice.broker.log.PartitionLog;
import io.sluice.broker.subscription.Cursor;
import io.sluice.broker.topic.TopicName;
import io.sluice.store.segment.Durable;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class TestBrokerTest {
    private static Cursor cursor(PartitionLog log) {
        return Objects.requireNonNull(log.subscriptions().find("s"));
    }

    @Test
    void whatWasAcknowledgedSurvivesARestart() {
        try (TestBroker broker = TestBroker.start()) {
            broker.createTopic("orders", 3);
            PartitionLog log = broker.partition("orders", 1);
            Answers answers = new Answers();
            broker.onLoop(log, () -> {
                log.append(TestEntries.plain(10, 100, 1), answers);
                log.subscriptions().create("s", 0, Map.of("k", "v"), Durable.IGNORED);
                return null;
            });
            assertThat(answers.await()).isEqualTo("appended 0..9");
            broker.onLoop(log, () -> {
                cursor(log).ack(2, 4, answers);
                return null;
            });
            assertThat(answers.await()).isEqualTo("durable");

            broker.restart();

            PartitionLog again = broker.partition("orders", 1);
            assertThat(again).isNotSameAs(log);
            assertThat(broker.onLoop(again, again::durableEnd)).isEqualTo(10);
            Cursor cursor = broker.onLoop(again, () -> cursor(again));
            assertThat(broker.onLoop(again, () -> cursor.nextUnacked(2))).isEqualTo(5);
            assertThat(cursor.properties()).containsEntry("k", "v");
            assertThat(broker.partitions().find(TopicName.ofDefault("orders"), 3))
                    .isNull();
        }
    }
}
