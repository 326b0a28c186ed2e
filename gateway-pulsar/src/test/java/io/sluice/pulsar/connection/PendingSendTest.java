package io.sluice.pulsar.connection;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.buffer.UnpooledHeapByteBuf;
import io.netty.channel.embedded.EmbeddedChannel;
import io.sluice.broker.log.PartitionLog;
import io.sluice.broker.topic.TopicName;
import io.sluice.pulsar.SilentOutlet;
import io.sluice.pulsar.TestGateway;
import io.sluice.pulsar.producer.ProducerSession;
import io.sluice.transactions.Participant;
import java.util.Map;
import org.apache.pulsar.common.api.proto.ProducerAccessMode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class PendingSendTest {
    private static final int BYTES = 100;

    /** Nobody can read it. */
    private static final class PlantedEntry extends UnpooledHeapByteBuf {
        PlantedEntry() {
            super(UnpooledByteBufAllocator.DEFAULT, BYTES, BYTES);
        }

        @Override
        public int readableBytes() {
            throw new NoClassDefFoundError("planted");
        }
    }

    @Test
    void anErrorInTheAppendGivesTheMemoryBackAndLeavesTheAnswersBehindItAlone() {
        try (TestGateway gateway = TestGateway.start()) {
            gateway.broker().createTopic("t", 1);
            PartitionLog log = gateway.broker().partition("t", 0);
            var services = gateway.gateway().services();
            EmbeddedChannel channel = new EmbeddedChannel();
            Connection connection = new Connection(channel, services, (_, _, _, _) -> {});
            var identity = new ProducerSession.Identity(1, "p", true, 0, ProducerAccessMode.Shared, -1, Map.of());
            ProducerSession session = new ProducerSession(identity, new SilentOutlet(), 0);
            ClientProducer producer =
                    connection.publishing().producer(session, TopicName.ofDefault("t"), log, new Participant("t", 0));
            PendingSend send =
                    new PendingSend(producer, new PendingSend.Parcel(0, 0, 1, BYTES), new PlantedEntry(), null);
            producer.add(send);
            services.budget().take(BYTES);

            gateway.broker().onLoop(log, () -> {
                services.hubs().on(log, "t", 0).produce(session, new MustAttach());
                return assertThatThrownBy(send::run).isInstanceOf(NoClassDefFoundError.class);
            });
            channel.runPendingTasks();

            assertThat(services.budget().used()).isZero();
            assertThat(producer.isClosed()).isFalse();
            assertThat(send.answered()).isTrue();
            channel.finishAndReleaseAll();
        }
    }
}
