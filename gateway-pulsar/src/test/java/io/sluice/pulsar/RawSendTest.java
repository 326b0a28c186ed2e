package io.sluice.pulsar;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.sluice.broker.log.PartitionLog;
import io.sluice.pulsar.wire.Replies;
import io.sluice.store.segment.InMemoryContainer;
import java.io.IOException;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.pulsar.client.api.MessageId;
import org.apache.pulsar.client.api.MessageIdAdv;
import org.apache.pulsar.client.api.PulsarClient;
import org.apache.pulsar.client.api.Reader;
import org.apache.pulsar.client.api.SubscriptionInitialPosition;
import org.apache.pulsar.client.api.SubscriptionType;
import org.apache.pulsar.common.api.proto.BaseCommand;
import org.apache.pulsar.common.api.proto.CommandSendReceipt;
import org.apache.pulsar.common.api.proto.MessageMetadata;
import org.apache.pulsar.common.api.proto.ServerError;
import org.apache.pulsar.common.protocol.ByteBufPair;
import org.apache.pulsar.common.protocol.Commands;
import org.apache.pulsar.common.protocol.Commands.ChecksumType;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Sends as no well-behaved client makes them. */
@Timeout(90)
class RawSendTest {
    /** The tag of {@code MessageMetadata.partition_key}. */
    private static final byte KEY = 0x32;

    private TestGateway gateway;
    private RawClient raw;

    @BeforeEach
    void start() throws Exception {
        gateway = TestGateway.start();
        raw = RawClient.connect(gateway);
        raw.write(Commands.newProducer("persistent://public/default/t", 1, 1, "p", Map.of(), false));
        raw.expect(BaseCommand.Type.PRODUCER_SUCCESS);
    }

    @AfterEach
    void stop() throws Exception {
        raw.close();
        gateway.close();
    }

    private static MessageMetadata metadata(long sequence) {
        return new MessageMetadata()
                .setProducerName("p")
                .setSequenceId(sequence)
                .setPublishTime(1);
    }

    private static ByteBuf send(long sequence, ChecksumType checksum, MessageMetadata metadata) {
        ByteBuf payload = Unpooled.wrappedBuffer(new byte[100]);
        ByteBufPair pair = Commands.newSend(1, sequence, 1, checksum, metadata, payload);
        ByteBuf frame = Unpooled.copiedBuffer(pair.getFirst(), pair.getSecond());
        pair.release();
        return frame;
    }

    private void expectReceipt(long sequence) throws IOException {
        BaseCommand answer = raw.read();
        assertThat(answer.getType()).isEqualTo(BaseCommand.Type.SEND_RECEIPT);
        assertThat(answer.getSendReceipt().getSequenceId()).isEqualTo(sequence);
    }

    private void expectError(long sequence, ServerError error) throws IOException {
        BaseCommand answer = raw.read();
        assertThat(answer.getType()).isEqualTo(BaseCommand.Type.SEND_ERROR);
        assertThat(answer.getSendError().getSequenceId()).isEqualTo(sequence);
        assertThat(answer.getSendError().getError()).isEqualTo(error);
    }

    @Test
    void answersKeepTheOrderOfTheSends() throws Exception {
        raw.write(send(0, ChecksumType.Crc32c, metadata(0)));
        ByteBuf damaged = send(1, ChecksumType.Crc32c, metadata(1));
        damaged.setByte(damaged.writerIndex() - 1, 77);
        raw.write(damaged);
        raw.write(send(2, ChecksumType.None, metadata(2)));
        raw.write(send(3, ChecksumType.Crc32c, metadata(3).setNumMessagesInBatch(-5)));
        raw.write(send(4, ChecksumType.Crc32c, metadata(4).setNumMessagesInBatch(2_000_000_000)));
        raw.write(send(5, ChecksumType.Crc32c, metadata(5)));
        expectReceipt(0);
        expectError(1, ServerError.ChecksumError);
        expectReceipt(2);
        expectError(3, ServerError.NotAllowedError);
        expectError(4, ServerError.NotAllowedError);
        expectReceipt(5);
        assertThat(gateway.broker().partition("t", 0).durableEnd()).isEqualTo(3);
    }

    @Test
    void duplicatesGetPulsarsReceiptForThem() throws Exception {
        raw.write(send(7, ChecksumType.Crc32c, metadata(7)));
        expectReceipt(7);
        raw.write(send(7, ChecksumType.Crc32c, metadata(7)));
        BaseCommand answer = raw.read();
        assertThat(answer.getSendReceipt().getMessageId().getLedgerId()).isEqualTo(-1);
        assertThat(answer.getSendReceipt().getMessageId().getEntryId()).isEqualTo(-1);
        assertThat(gateway.broker().partition("t", 0).durableEnd()).isEqualTo(1);
    }

    /** Two producers of the source count from 0 each; the replicator sends again what it has no receipt of, and goes on in another ledger. */
    @Test
    void replicatedMessagesAreToldApartByTheirPlaceInTheSource() throws Exception {
        replicator();
        for (String from : new String[] {"7:0", "7:1", "7:1", "8:0", "7:1", "8:1"}) {
            raw.write(replicated(0, from));
            BaseCommand answer = raw.read();
            assertThat(answer.getSendReceipt().getSequenceId()).isEqualTo(Long.parseLong(from.substring(0, 1)));
            assertThat(answer.getSendReceipt().getHighestSequenceId()).isEqualTo(Long.parseLong(from.substring(2)));
        }
        assertThat(gateway.broker().partition("t", 0).durableEnd()).isEqualTo(4);
    }

    @Test
    void replicatedMessagesWithoutAPlaceInTheSourceAreAllStored() throws Exception {
        replicator();
        for (String from : new String[] {"", "7", "7:", ":7", "-7:1", "7:x"}) {
            raw.write(replicated(0, from));
            expectReceipt(0);
        }
        assertThat(gateway.broker().partition("t", 0).durableEnd()).isEqualTo(6);
    }

    /** Replicators read it there; a consumer would take it for a message. */
    @Test
    void markersOfReplicatedSubscriptionsAreStoredForNoConsumer() throws Exception {
        replicator();
        sendMarker(metadata(0).setMarkerType(10).setReplicatedFrom("far"), 0);
        raw.write(replicated(6, "7:0"));
        assertThat(raw.read().getSendReceipt().getMessageId().getEntryId()).isEqualTo(1);
        try (PulsarClient client = gateway.client();
                Reader<byte[]> reader = client.newReader()
                        .topic("persistent://public/default/t")
                        .startMessageId(MessageId.earliest)
                        .create()) {
            assertThat(((MessageIdAdv) reader.readNext(30, TimeUnit.SECONDS).getMessageId()).getEntryId())
                    .isEqualTo(1);
            assertThat(reader.hasMessageAvailable()).isFalse();
        }
    }

    /** A snapshot, which stays in its cluster, the end of a transaction, and one of no cluster. */
    @Test
    void otherMarkersOfReplicatorsAreReceivedAndNotStored() throws Exception {
        replicator();
        sendMarker(metadata(0).setMarkerType(12).setReplicatedFrom("far"), -1);
        sendMarker(metadata(0).setMarkerType(21).setReplicatedFrom("far"), -1);
        sendMarker(metadata(0).setMarkerType(10), -1);
        raw.write(replicated(6, "7:0"));
        assertThat(raw.read().getSendReceipt().getMessageId().getEntryId()).isZero();
    }

    private void sendMarker(MessageMetadata metadata, long entry) throws IOException {
        raw.write(send(5, ChecksumType.Crc32c, metadata));
        CommandSendReceipt receipt = raw.read().getSendReceipt();
        assertThat(receipt.getSequenceId()).isEqualTo(5);
        assertThat(receipt.getHighestSequenceId()).isEqualTo(Long.MIN_VALUE);
        assertThat(receipt.getMessageId().getEntryId()).isEqualTo(entry);
    }

    private void replicator() throws IOException {
        raw.write(Commands.newCloseProducer(1, 2));
        raw.expect(BaseCommand.Type.SUCCESS);
        raw.write(Commands.newProducer(
                "persistent://public/default/t", 1, 3, "pulsar.repl.far-->standalone", Map.of(), false));
        raw.expect(BaseCommand.Type.PRODUCER_SUCCESS);
    }

    private static ByteBuf replicated(long sequence, String from) {
        MessageMetadata metadata = metadata(0).setReplicatedFrom("far");
        metadata.addProperty().setKey("__MSG_PROP_REPL_SOURCE_POSITION").setValue(from);
        return send(sequence, ChecksumType.Crc32c, metadata);
    }

    /** Its client would not send again what it is told is there, and a crash could still take it. */
    @Test
    void aProducerThatComesBackIsToldItsLastSequenceWhenThatIsDurable() throws Exception {
        PartitionLog log = gateway.broker().partition("t", 0);
        InMemoryContainer container =
                gateway.broker().containers().get(log.container().id());
        container.hold();
        raw.write(send(7, ChecksumType.Crc32c, metadata(7)));
        raw.write(Commands.newCloseProducer(1, 2));
        raw.expect(BaseCommand.Type.SUCCESS);
        raw.write(Commands.newProducer("persistent://public/default/t", 2, 3, "p", Map.of(), false));
        raw.write(Replies.ping());
        raw.expect(BaseCommand.Type.PONG);
        long last = gateway.broker()
                .onLoop(
                        log,
                        () -> log.producers().lastSequenceId(log.producers().idOf("p")));
        assertThat(last).isEqualTo(7);
        raw.write(Replies.ping());
        raw.expect(BaseCommand.Type.PONG);
        container.release();
        BaseCommand answer = raw.read();
        assertThat(answer.getType()).isEqualTo(BaseCommand.Type.PRODUCER_SUCCESS);
        assertThat(answer.getProducerSuccess().getLastSequenceId()).isEqualTo(7);
    }

    @Test
    void aKeyThatIsNotBase64StillHasAnOwner() throws Exception {
        raw.write(
                send(0, ChecksumType.Crc32c, metadata(0).setPartitionKey("%%%").setPartitionKeyB64Encoded(true)));
        expectReceipt(0);
        try (var client = gateway.client();
                var consumer = client.newConsumer()
                        .topic("t")
                        .subscriptionName("s")
                        .subscriptionType(SubscriptionType.Key_Shared)
                        .subscriptionInitialPosition(SubscriptionInitialPosition.Earliest)
                        .subscribe()) {
            assertThat(consumer.receive(30, TimeUnit.SECONDS)).isNotNull();
        }
    }

    /** Stored, such a message would read differently behind the end of its entry than behind that of its frame. */
    @Test
    void metadataThatGoesOnBehindItsEndIsRefused() throws Exception {
        raw.write(Unpooled.wrappedBuffer( // in one read, so that there is something behind the frame
                sendOfMetadata(0, new byte[] {0x0a, 1, 'p', 0x10, 0, 0x18, 1, KEY, 120}),
                send(1, ChecksumType.Crc32c, metadata(1))));
        expectError(0, ServerError.NotAllowedError);
        expectReceipt(1);
    }

    @Test
    void metadataThatBreaksOffIsRefusedAndSpoilsNoOther() throws Exception {
        raw.write(sendOfMetadata(
                0, new byte[] {0x0a, 1, 'p', 0x10, 0, 0x18, 1, 0x22, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1}));
        expectError(0, ServerError.NotAllowedError);
        raw.write(send(1, ChecksumType.Crc32c, metadata(1)));
        expectReceipt(1);
    }

    /** Without a checksum, with 100 bytes of payload. */
    private static ByteBuf sendOfMetadata(long sequence, byte[] metadata) {
        BaseCommand command = new BaseCommand().setType(BaseCommand.Type.SEND);
        command.setSend().setProducerId(1).setSequenceId(sequence);
        byte[] bytes = command.toByteArray();
        return Unpooled.buffer()
                .writeInt(4 + bytes.length + 4 + metadata.length + 100)
                .writeInt(bytes.length)
                .writeBytes(bytes)
                .writeInt(metadata.length)
                .writeBytes(metadata)
                .writeZero(100);
    }
}
