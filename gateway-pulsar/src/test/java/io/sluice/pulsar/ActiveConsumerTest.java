package io.sluice.pulsar;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.broker.topic.TopicName;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.pulsar.common.api.proto.BaseCommand;
import org.apache.pulsar.common.api.proto.CommandSubscribe.InitialPosition;
import org.apache.pulsar.common.api.proto.CommandSubscribe.SubType;
import org.apache.pulsar.common.protocol.Commands;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Consumers of a failover subscription hear who is active after their SUBSCRIBE was answered, and when they can take it in. */
@Timeout(90)
class ActiveConsumerTest {
    private static final String TOPIC = "persistent://public/default/t";

    private TestGateway gateway;
    private RawClient raw;
    private long requests;

    @BeforeEach
    void start() throws Exception {
        gateway = TestGateway.start();
        gateway.broker().createTopic(TopicName.ofDefault("t"), 1, false);
        raw = RawClient.connect(gateway);
    }

    @AfterEach
    void stop() throws Exception {
        raw.close();
        gateway.close();
    }

    private void subscribe(long consumer, int priority) throws Exception {
        raw.write(Commands.newSubscribe(
                TOPIC,
                "s",
                consumer,
                requests++,
                SubType.Failover,
                priority,
                "c" + consumer,
                true,
                null,
                Map.of(),
                false,
                false,
                InitialPosition.Earliest,
                0,
                null,
                true));
    }

    private String next() throws Exception {
        BaseCommand command = raw.read();
        return switch (command.getType()) {
            case ACTIVE_CONSUMER_CHANGE ->
                command.getActiveConsumerChange().getConsumerId()
                        + (command.getActiveConsumerChange().isIsActive() ? " active" : " inactive");
            default -> command.getType().name();
        };
    }

    private List<String> next(int commands) throws Exception {
        List<String> told = new ArrayList<>();
        while (told.size() < commands) {
            told.add(next());
        }
        return told;
    }

    /** The subscription is new, so that the answer waits for the log. */
    @Test
    void subscribeIsAnsweredBeforeTheConsumerIsCalledActive() throws Exception {
        subscribe(1, 0);
        assertThat(next()).isEqualTo("SUCCESS");
        raw.write(Commands.newFlow(1, 10));
        assertThat(next()).isEqualTo("1 active");
    }

    @Test
    void aConsumerThatTakesNoMessagesYetHearsOfItToo() throws Exception {
        subscribe(1, 0);
        assertThat(next(2)).containsExactly("SUCCESS", "1 active");
    }

    /** The second takes over before the first has been told anything. */
    @Test
    void anElectionIsNotToldBeforeTheAnswer() throws Exception {
        subscribe(1, 1);
        subscribe(2, 0);
        assertThat(next(2)).containsExactly("SUCCESS", "SUCCESS");
        raw.write(Commands.newFlow(1, 10));
        raw.write(Commands.newFlow(2, 10));
        assertThat(next(2)).containsExactly("1 inactive", "2 active");
    }

    @Test
    void aClosedConsumerHearsNothing() throws Exception {
        subscribe(1, 0);
        assertThat(next()).isEqualTo("SUCCESS");
        raw.write(Commands.newCloseConsumer(1, requests++, null, null));
        assertThat(next()).isEqualTo("SUCCESS");
        subscribe(2, 0);
        assertThat(next()).isEqualTo("SUCCESS");
        assertThat(next()).isEqualTo("2 active");
    }
}
