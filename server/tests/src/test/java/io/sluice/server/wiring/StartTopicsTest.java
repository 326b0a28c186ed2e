package io.sluice.server.wiring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.broker.topic.TopicException;
import io.sluice.broker.topic.TopicException.Reason;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class StartTopicsTest {
    private static final Duration PATIENCE = Duration.ofMinutes(1);

    @Test
    void triesAgainOnlyWhereThatMayHelp() throws Exception {
        List<Integer> tries = new ArrayList<>();
        assertThat(StartTopics.retried(PATIENCE, () -> {
                    tries.add(1);
                    if (tries.size() < 3) {
                        throw TopicException.unavailable("container 0 is not served by this node");
                    }
                    return "made";
                }))
                .isEqualTo("made");
        assertThat(tries).hasSize(3);
        assertThatThrownBy(() -> StartTopics.retried(PATIENCE, () -> {
                    tries.add(1);
                    throw new TopicException(Reason.ALREADY_EXISTS, "was made by a client");
                }))
                .hasMessage("was made by a client");
        assertThat(tries).hasSize(4);
        assertThatThrownBy(() -> StartTopics.retried(Duration.ZERO, () -> {
                    throw TopicException.unavailable("for ever");
                }))
                .hasMessage("for ever");
    }
}
