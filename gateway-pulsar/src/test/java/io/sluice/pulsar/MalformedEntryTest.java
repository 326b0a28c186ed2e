package io.sluice.pulsar;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.sluice.broker.entry.EntryHeader;
import io.sluice.broker.log.PartitionLog;
import io.sluice.broker.topic.TopicName;
import io.sluice.pulsar.dispatch.Subscription;
import io.sluice.pulsar.dispatch.UnreadableEntries;
import io.sluice.pulsar.format.Publish;
import io.sluice.pulsar.format.StoredEntry;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.client.api.Message;
import org.apache.pulsar.client.api.PulsarClient;
import org.apache.pulsar.client.api.SubscriptionInitialPosition;
import org.apache.pulsar.client.api.SubscriptionType;
import org.apache.pulsar.common.api.proto.MessageMetadata;
import org.apache.pulsar.common.protocol.ByteBufPair;
import org.apache.pulsar.common.protocol.Commands;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.slf4j.LoggerFactory;

/** Entries in the log whose metadata does not read, as a server that checked less may have stored them. */
@Timeout(60)
class MalformedEntryTest {
    private final ListAppender<ILoggingEvent> said = new ListAppender<>();
    private final Logger logger = (Logger) LoggerFactory.getLogger(UnreadableEntries.class);

    private TestGateway gateway;
    private PulsarClient client;
    private PartitionLog log;

    @BeforeEach
    void start() throws Exception {
        said.start();
        logger.addAppender(said);
        logger.setAdditive(false);
        gateway = TestGateway.start();
        client = gateway.client();
        gateway.broker().createTopic(TopicName.ofDefault("t"), 1, false);
        log = gateway.broker().partition("t", 0);
    }

    @AfterEach
    void stop() throws Exception {
        client.close();
        gateway.close();
        logger.detachAppender(said);
        logger.setAdditive(true);
    }

    private static ByteBuf entry(long sequence) {
        MessageMetadata metadata = new MessageMetadata()
                .setProducerName("p")
                .setSequenceId(sequence)
                .setPublishTime(1)
                .setPartitionKey("k");
        ByteBufPair sent = Commands.newSend(
                1, sequence, 1, Commands.ChecksumType.Crc32c, metadata, Unpooled.wrappedBuffer(new byte[20]));
        ByteBuf frame = Unpooled.copiedBuffer(sent.getFirst(), sent.getSecond());
        sent.release();
        frame.skipBytes(4);
        frame.skipBytes(frame.readInt());
        Publish publish = new Publish();
        assertThat(publish.read(frame, frame.writerIndex())).isEqualTo(Publish.Fault.NONE);
        ByteBuf entry = publish.entry(
                PooledByteBufAllocator.DEFAULT,
                frame,
                EntryHeader.NO_PRODUCER,
                sequence,
                sequence,
                EntryHeader.NO_PRODUCER);
        frame.release();
        return entry;
    }

    /** A number that does not end; and nothing says that it is no chunk, so that everybody must look. */
    private static ByteBuf malformed(long sequence) {
        ByteBuf entry = entry(sequence);
        int metadata = StoredEntry.body(entry, 0) + 6 + Integer.BYTES;
        for (int i = 0; i < 12; i++) {
            entry.setByte(metadata + i, 0xff);
        }
        return entry.setShort(EntryHeader.CRC_FROM, 0);
    }

    private void store(ByteBuf entry) {
        gateway.broker().onLoop(log, () -> {
            log.append(entry, new MustAppend());
            return true;
        });
    }

    private Consumer<byte[]> subscribe(String name, SubscriptionType type) throws Exception {
        return client.newConsumer()
                .topic("t")
                .subscriptionName(name)
                .subscriptionType(type)
                .subscriptionInitialPosition(SubscriptionInitialPosition.Earliest)
                .subscribe();
    }

    private static long next(Consumer<byte[]> consumer) throws Exception {
        Message<byte[]> message = consumer.receive(30, TimeUnit.SECONDS);
        assertThat(message).isNotNull();
        consumer.acknowledge(message);
        return message.getSequenceId();
    }

    private List<String> warnings() {
        return said.list.stream().map(ILoggingEvent::getFormattedMessage).toList();
    }

    @ParameterizedTest
    @EnumSource(names = {"Shared", "Key_Shared"})
    void aSubscriptionGoesOnBehindItAndSaysWhichItWas(SubscriptionType type) throws Exception {
        store(entry(0));
        store(malformed(1));
        store(entry(2));
        try (Consumer<byte[]> consumer = subscribe("s", type);
                Consumer<byte[]> other = subscribe("another", type)) {
            assertThat(List.of(next(consumer), next(consumer))).containsExactly(0L, 2L);
            assertThat(List.of(next(other), next(other))).containsExactly(0L, 2L);
            store(malformed(3));
            store(entry(4));
            assertThat(next(consumer)).isEqualTo(4);
            assertThat(next(other)).isEqualTo(4);
        }
        assertThat(warnings())
                .satisfiesExactly(
                        first -> assertThat(first)
                                .contains("persistent://public/default/t", log.partitionId() + ":1:-1", "malformed"),
                        second -> assertThat(second).contains(log.partitionId() + ":3:-1"));
    }

    @Test
    void itIsNotInTheBacklog() throws Exception {
        store(malformed(0));
        store(entry(1));
        try (Consumer<byte[]> consumer = subscribe("s", SubscriptionType.Key_Shared)) {
            assertThat(next(consumer)).isEqualTo(1);
        }
        var cursor = gateway.broker().onLoop(log, () -> log.subscriptions().find("s"));
        assertThat(cursor).isNotNull();
        assertThat(gateway.broker().onLoop(log, () -> Subscription.backlog(log, cursor)))
                .isZero();
    }

    @Test
    void manyOfThemAreNotAllNamed() throws Exception {
        IntStream.range(0, 150).forEach(n -> store(malformed(n)));
        store(entry(150));
        try (Consumer<byte[]> consumer = subscribe("s", SubscriptionType.Key_Shared)) {
            assertThat(next(consumer)).isEqualTo(150);
        }
        assertThat(warnings()).hasSize(101).last().asString().contains("more than 100 entries");
    }
}
