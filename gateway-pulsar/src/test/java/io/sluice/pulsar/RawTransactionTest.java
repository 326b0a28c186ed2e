package io.sluice.pulsar;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.List;
import java.util.Map;
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.client.api.transaction.Transaction;
import org.apache.pulsar.client.api.transaction.TxnID;
import org.apache.pulsar.common.api.proto.BaseCommand;
import org.apache.pulsar.common.api.proto.MessageMetadata;
import org.apache.pulsar.common.api.proto.ServerError;
import org.apache.pulsar.common.protocol.Commands;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Sends in transactions as clients other than Java's make them: Go's names the transaction in the command only. */
class RawTransactionTest extends TransactionalClientTest {
    private static final String TOPIC = "persistent://public/default/t";

    private RawClient raw;

    @BeforeEach
    void connect() throws Exception {
        raw = RawClient.connect(gateway);
        raw.write(Commands.newProducer(TOPIC, 1, 1, "p", Map.of(), false));
        raw.expect(BaseCommand.Type.PRODUCER_SUCCESS);
    }

    @AfterEach
    void disconnect() throws Exception {
        raw.close();
    }

    private Transaction beginHere() throws Exception {
        Transaction open = begin();
        coordinators().addPublishPartitionToTxn(open.getTxnID(), List.of(TOPIC));
        return open;
    }

    /** The value of the message is its sequence id. */
    private void write(int sequence, @Nullable TxnID inCommand, @Nullable TxnID inMetadata) throws Exception {
        BaseCommand command = new BaseCommand().setType(BaseCommand.Type.SEND);
        command.setSend().setProducerId(1).setSequenceId(sequence);
        MessageMetadata metadata = new MessageMetadata()
                .setProducerName("p")
                .setSequenceId(sequence)
                .setPublishTime(1);
        if (inCommand != null) {
            command.getSend()
                    .setTxnidMostBits(inCommand.getMostSigBits())
                    .setTxnidLeastBits(inCommand.getLeastSigBits());
        }
        if (inMetadata != null) {
            metadata.setTxnidMostBits(inMetadata.getMostSigBits()).setTxnidLeastBits(inMetadata.getLeastSigBits());
        }
        byte[] ofCommand = command.toByteArray();
        byte[] ofMetadata = metadata.toByteArray();
        byte[] value = bytes(sequence);
        ByteBuf frame = Unpooled.buffer()
                .writeInt(8 + ofCommand.length + ofMetadata.length + value.length)
                .writeInt(ofCommand.length)
                .writeBytes(ofCommand)
                .writeInt(ofMetadata.length)
                .writeBytes(ofMetadata)
                .writeBytes(value);
        raw.write(frame);
    }

    private void expectReceipt(int sequence) throws Exception {
        BaseCommand answer = raw.expect(BaseCommand.Type.SEND_RECEIPT);
        assertThat(answer.getSendReceipt().getSequenceId()).isEqualTo(sequence);
    }

    @Test
    void theCommandDecidesWhichTransactionASendIsOf() throws Exception {
        try (Consumer<byte[]> consumer = subscribe("t").subscribe()) {
            Transaction committed = beginHere();
            Transaction aborted = beginHere();
            write(1, committed.getTxnID(), null);
            write(2, aborted.getTxnID(), null);
            write(3, committed.getTxnID(), aborted.getTxnID());
            write(4, aborted.getTxnID(), committed.getTxnID());
            write(5, null, aborted.getTxnID());
            for (int sequence = 1; sequence <= 5; sequence++) {
                expectReceipt(sequence);
            }
            expectNothing(consumer);
            aborted.abort().get();
            committed.commit().get();
            expect(consumer, 1, 3, 5);
            expectNothing(consumer);
            assertThat(committedEnd("t")).as("5 messages and 2 markers").isEqualTo(7);
        }
    }

    @Test
    void aTransactionThatCannotBeIsRefused() throws Exception {
        write(1, new TxnID(1L << 40, 1), null);
        BaseCommand answer = raw.expect(BaseCommand.Type.SEND_ERROR);
        assertThat(answer.getSendError().getError()).isEqualTo(ServerError.NotAllowedError);
        write(2, null, null);
        expectReceipt(2);
    }
}
