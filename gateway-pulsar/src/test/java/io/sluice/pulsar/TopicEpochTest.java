package io.sluice.pulsar;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.Map;
import java.util.Optional;
import org.apache.pulsar.client.api.ProducerAccessMode;
import org.apache.pulsar.common.api.proto.BaseCommand;
import org.apache.pulsar.common.api.proto.ServerError;
import org.apache.pulsar.common.protocol.Commands;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Who was overtaken stays overtaken. The connection is raw, because clients keep the epoch to themselves. */
@Timeout(90)
class TopicEpochTest {
    private static final Optional<Long> NEW = Optional.empty();

    private TestGateway gateway;
    private RawClient client;
    private long requests;

    @BeforeEach
    void start() throws Exception {
        gateway = TestGateway.start();
        client = RawClient.connect(gateway);
    }

    @AfterEach
    void stop() throws Exception {
        client.close();
        gateway.close();
    }

    private void restart() throws Exception {
        client.close();
        gateway.restart();
        client = RawClient.connect(gateway);
    }

    private BaseCommand produce(long id, ProducerAccessMode mode, Optional<Long> epoch) throws IOException {
        client.write(Commands.newProducer(
                "persistent://public/default/t",
                id,
                requests++,
                "p" + id,
                false,
                Map.of(),
                null,
                0,
                false,
                mode,
                epoch,
                false));
        return client.read();
    }

    private long epochOf(BaseCommand answer) {
        assertThat(answer.getType()).isEqualTo(BaseCommand.Type.PRODUCER_SUCCESS);
        return answer.getProducerSuccess().getTopicEpoch();
    }

    private void expectFenced(BaseCommand answer) {
        assertThat(answer.getType()).isEqualTo(BaseCommand.Type.ERROR);
        assertThat(answer.getError().getError()).isEqualTo(ServerError.ProducerFenced);
    }

    private void leave(long id) throws IOException {
        client.write(Commands.newCloseProducer(id, requests++));
        client.expect(BaseCommand.Type.SUCCESS);
    }

    @Test
    void aProducerThatWasOvertakenIsFencedAlsoAfterARestart() throws Exception {
        assertThat(epochOf(produce(1, ProducerAccessMode.Exclusive, NEW))).isEqualTo(0);
        leave(1);
        assertThat(epochOf(produce(2, ProducerAccessMode.Exclusive, NEW))).isEqualTo(1);
        restart();
        expectFenced(produce(1, ProducerAccessMode.Exclusive, Optional.of(0L)));
        expectFenced(produce(1, ProducerAccessMode.WaitForExclusive, Optional.of(0L)));
        expectFenced(produce(1, ProducerAccessMode.ExclusiveWithFencing, Optional.of(0L)));
        assertThat(epochOf(produce(2, ProducerAccessMode.Exclusive, Optional.of(1L))))
                .isEqualTo(1);
        leave(2);
        assertThat(epochOf(produce(3, ProducerAccessMode.WaitForExclusive, NEW)))
                .isEqualTo(2);
    }

    @Test
    void whoeverTakesOverLeavesTheOthersBehindForGood() throws Exception {
        assertThat(epochOf(produce(1, ProducerAccessMode.Exclusive, NEW))).isEqualTo(0);
        try (RawClient other = RawClient.connect(gateway)) {
            RawClient first = client;
            client = other;
            assertThat(epochOf(produce(2, ProducerAccessMode.ExclusiveWithFencing, NEW)))
                    .isEqualTo(1);
            client = first;
            client.expect(BaseCommand.Type.CLOSE_PRODUCER);
        }
        restart();
        expectFenced(produce(1, ProducerAccessMode.Exclusive, Optional.of(0L)));
        assertThat(epochOf(produce(3, ProducerAccessMode.Exclusive, NEW))).isEqualTo(2);
    }

    @Test
    void anEpochWithNothingAboveItIsRefused() throws Exception {
        BaseCommand answer = produce(1, ProducerAccessMode.Exclusive, Optional.of(Long.MAX_VALUE));
        assertThat(answer.getError().getError()).isEqualTo(ServerError.NotAllowedError);
        assertThat(epochOf(produce(1, ProducerAccessMode.Exclusive, NEW))).isEqualTo(0);
    }
}
