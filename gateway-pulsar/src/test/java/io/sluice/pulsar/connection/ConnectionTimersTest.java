package io.sluice.pulsar.connection;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.embedded.EmbeddedChannel;
import io.sluice.pulsar.TestGateway;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A connection that has closed is not kept until its next look at the client would have been due. */
@Timeout(30)
class ConnectionTimersTest {
    private static final long NONE = -1;

    @Test
    void nothingIsScheduledForAClosedConnection() {
        try (TestGateway gateway = TestGateway.start()) {
            EmbeddedChannel early = opened(gateway);
            early.pipeline().fireChannelInactive();
            assertThat(early.runScheduledPendingTasks()).as("before CONNECT").isEqualTo(NONE);

            EmbeddedChannel late = opened(gateway);
            late.pipeline().get(Connection.class).connected(21, "test");
            late.advanceTimeBy(
                    gateway.gateway().services().config().limits().handshake().toMillis(), TimeUnit.MILLISECONDS);
            assertThat(late.runScheduledPendingTasks()).as("keep-alive").isPositive();
            late.pipeline().fireChannelInactive();
            assertThat(late.runScheduledPendingTasks()).as("after CONNECT").isEqualTo(NONE);
        }
    }

    private static EmbeddedChannel opened(TestGateway gateway) {
        EmbeddedChannel channel = new EmbeddedChannel();
        channel.freezeTime();
        channel.pipeline().addLast(new Connection(channel, gateway.gateway().services(), (_, _, _, _) -> {}));
        channel.pipeline().fireChannelActive();
        assertThat(channel.runScheduledPendingTasks()).as("handshake").isPositive();
        return channel;
    }
}
