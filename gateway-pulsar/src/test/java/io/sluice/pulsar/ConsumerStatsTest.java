package io.sluice.pulsar;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import org.apache.pulsar.client.api.Producer;
import org.apache.pulsar.client.api.PulsarClient;
import org.apache.pulsar.common.api.proto.BaseCommand;
import org.apache.pulsar.common.api.proto.CommandConsumerStatsResponse;
import org.apache.pulsar.common.api.proto.CommandSubscribe.SubType;
import org.apache.pulsar.common.api.proto.ServerError;
import org.apache.pulsar.common.protocol.Commands;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** CONSUMER_STATS, which only clients in C++ send: here by hand. */
@Timeout(90)
class ConsumerStatsTest {
    private TestGateway gateway;
    private RawClient client;

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

    private static ByteBuf statsOf(long consumer, long request) {
        BaseCommand command = new BaseCommand().setType(BaseCommand.Type.CONSUMER_STATS);
        command.setConsumerStats().setConsumerId(consumer).setRequestId(request);
        return Commands.serializeWithSize(command);
    }

    private CommandConsumerStatsResponse ask(long consumer, long request) throws Exception {
        client.write(statsOf(consumer, request));
        CommandConsumerStatsResponse stats =
                client.expect(BaseCommand.Type.CONSUMER_STATS_RESPONSE).getConsumerStatsResponse();
        assertThat(stats.getRequestId()).isEqualTo(request);
        return stats;
    }

    @Test
    void tellsPermitsUnacknowledgedMessagesAndBacklog() throws Exception {
        client.write(Commands.newSubscribe("persistent://public/default/t", "s", 7, 1, SubType.Shared, 0, "me", 0));
        client.expect(BaseCommand.Type.SUCCESS);
        CommandConsumerStatsResponse before = ask(7, 2);
        assertThat(before.hasErrorCode()).isFalse();
        assertThat(before.getConsumerName()).isEqualTo("me");
        assertThat(before.getType()).isEqualTo("Shared");
        assertThat(before.getMsgBacklog()).isZero();
        assertThat(before.getAddress()).startsWith("127.0.0.1:");
        try (PulsarClient java = gateway.client();
                Producer<byte[]> producer =
                        java.newProducer().topic("t").enableBatching(false).create()) {
            for (int i = 0; i < 5; i++) {
                producer.send(new byte[1]);
            }
        }
        client.write(Commands.newFlow(7, 3));
        for (int i = 0; i < 3; i++) {
            client.expect(BaseCommand.Type.MESSAGE);
        }
        CommandConsumerStatsResponse after = ask(7, 3);
        assertThat(after.getAvailablePermits()).isZero();
        assertThat(after.getUnackedMessages()).isEqualTo(3);
        assertThat(after.isBlockedConsumerOnUnackedMsgs()).isFalse();
        assertThat(after.getMsgBacklog()).isEqualTo(5);
    }

    @Test
    void knowsItsOwnConsumersOnly() throws Exception {
        CommandConsumerStatsResponse stats = ask(3, 9);
        assertThat(stats.getErrorCode()).isEqualTo(ServerError.ConsumerNotFound);
        assertThat(stats.getErrorMessage()).isNotEmpty();
    }
}
