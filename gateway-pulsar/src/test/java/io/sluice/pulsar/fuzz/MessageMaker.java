package io.sluice.pulsar.fuzz;

import io.sluice.testing.fuzz.FuzzBytes;
import io.sluice.testing.fuzz.Mutator;
import java.util.Arrays;
import java.util.Random;
import java.util.zip.CRC32C;
import org.apache.pulsar.client.api.transaction.TxnID;
import org.apache.pulsar.common.api.proto.BaseCommand;
import org.apache.pulsar.common.api.proto.CommandSend;
import org.apache.pulsar.common.api.proto.CompressionType;
import org.apache.pulsar.common.api.proto.MessageMetadata;
import org.apache.pulsar.common.api.proto.SingleMessageMetadata;
import org.jspecify.annotations.Nullable;

/**
 * What a SEND carries, {@code magic u16 | crc32c u32 | length u32 | metadata | payload}: single messages, batches, compressed,
 * in chunks, encrypted. May be damaged within, with the checksum right or not.
 */
final class MessageMaker {
    private static final int CHECKSUM_MAGIC = 0x0e01;
    private static final int CHECKSUM_AT = 2;
    private static final int CHECKED_FROM = 6;
    private static final long PUBLISHED = 1_750_000_000_000L;

    private final Random random;
    private final PulsarKnown known;
    private final Mutator mutator;

    MessageMaker(Random random, PulsarKnown known) {
        this.random = random;
        this.known = known;
        this.mutator = new Mutator(random);
    }

    /** @param message what goes behind the command */
    record Send(BaseCommand command, FuzzBytes message) {}

    Send send(boolean damaged) {
        long sequence = known.nextSequence();
        int count = random.nextInt(3) == 0 ? 1 + random.nextInt(5) : 1;
        BaseCommand command = new BaseCommand().setType(BaseCommand.Type.SEND);
        CommandSend send = command.setSend()
                .setProducerId(known.producerId())
                .setSequenceId(sequence)
                .setNumMessages(count);
        MessageMetadata metadata = new MessageMetadata()
                .setProducerName("p")
                .setSequenceId(sequence)
                .setPublishTime(PUBLISHED + sequence);
        boolean batch = count > 1 || random.nextInt(4) == 0;
        FuzzBytes payload = batch ? batch(count) : new FuzzBytes(mutator.junk(random.nextInt(200)));
        if (batch) {
            metadata.setNumMessagesInBatch(count);
            send.setHighestSequenceId(sequence + count - 1);
            metadata.setHighestSequenceId(sequence + count - 1);
            for (int more = 1; more < count; more++) {
                known.nextSequence();
            }
        }
        extras(send, metadata, payload.size());
        return new Send(command, message(metadata, payload, damaged));
    }

    private void extras(CommandSend send, MessageMetadata metadata, int size) {
        switch (random.nextInt(12)) {
            case 0 ->
                metadata.setPartitionKey("k" + random.nextInt(9))
                        .addProperty()
                        .setKey("a")
                        .setValue("b");
            case 1 -> {
                CompressionType[] codecs = CompressionType.values();
                metadata.setCompression(codecs[random.nextInt(codecs.length)]).setUncompressedSize(size);
            }
            case 2 -> {
                send.setIsChunk(true);
                metadata.setUuid("u")
                        .setNumChunksFromMsg(2)
                        .setChunkId(random.nextInt(2))
                        .setTotalChunkMsgSize(2 * size);
            }
            case 3 -> {
                metadata.setEncryptionAlgo("x").setEncryptionParam(mutator.junk(8));
                metadata.addEncryptionKey().setKey("k").setValue(mutator.junk(8));
            }
            case 4 -> metadata.setOrderingKey(mutator.junk(4)).setEventTime(1);
            case 5 -> metadata.setDeliverAtTime(PUBLISHED);
            case 6 -> metadata.setMarkerType(random.nextInt(30));
            case 7 -> metadata.setNullValue(true).setNullPartitionKey(true);
            case 8 -> {
                TxnID transaction = known.transaction();
                send.setTxnidMostBits(transaction.getMostSigBits()).setTxnidLeastBits(transaction.getLeastSigBits());
                if (random.nextBoolean()) { // as Java's client does, and Go's does not
                    metadata.setTxnidMostBits(transaction.getMostSigBits())
                            .setTxnidLeastBits(transaction.getLeastSigBits());
                }
            }
            default -> {}
        }
    }

    private FuzzBytes batch(int count) {
        FuzzBytes out = new FuzzBytes();
        for (int i = 0; i < count; i++) {
            int size = random.nextInt(60);
            SingleMessageMetadata single = new SingleMessageMetadata().setPayloadSize(size);
            if (random.nextInt(3) == 0) {
                single.setPartitionKey("k" + random.nextInt(9)).setSequenceId(i);
            }
            byte[] bytes = single.toByteArray();
            out.number(4, bytes.length).raw(bytes).raw(mutator.junk(size));
        }
        return out;
    }

    private FuzzBytes message(MessageMetadata metadata, FuzzBytes payload, boolean damaged) {
        FuzzBytes content = content(metadata, damaged && random.nextBoolean());
        if (damaged && random.nextInt(3) == 0) {
            mutator.damage(payload);
        }
        boolean checked = random.nextInt(10) > 0;
        FuzzBytes out = new FuzzBytes();
        if (checked) {
            out.number(2, CHECKSUM_MAGIC).number(4, 0);
        }
        out.number(4, content.size()).append(content).append(payload);
        if (damaged && random.nextInt(4) == 0) {
            mutator.damage(out);
        }
        if (checked && (!damaged || random.nextInt(6) > 0) && out.size() >= CHECKED_FROM) {
            CRC32C crc = new CRC32C();
            byte[] bytes = out.toArray();
            crc.update(bytes, CHECKED_FROM, bytes.length - CHECKED_FROM);
            out.setNumber(CHECKSUM_AT, 4, crc.getValue());
        }
        return out;
    }

    private FuzzBytes content(MessageMetadata metadata, boolean damaged) {
        byte[] bytes = metadata.toByteArray();
        @Nullable ProtoTree tree = ProtoTree.parse(bytes);
        if (!damaged || tree == null) {
            return new FuzzBytes(bytes);
        }
        for (int left = 1 + random.nextInt(3); left > 0; left--) {
            tree.damage(random, mutator);
        }
        FuzzBytes written = tree.write();
        if (random.nextInt(4) == 0) {
            mutator.damage(written);
        }
        return written;
    }

    /** For a message of the neighbour's. */
    static byte[] plain(long sequence, byte[] payload) {
        byte[] metadata = new MessageMetadata()
                .setProducerName("neighbour")
                .setSequenceId(sequence)
                .setPublishTime(PUBLISHED)
                .toByteArray();
        return new FuzzBytes()
                .number(4, metadata.length)
                .raw(metadata)
                .raw(payload)
                .toArray();
    }

    /** The payload of a MESSAGE, of what follows its command. */
    static byte[] payload(byte[] message) {
        int at = 0;
        if (message.length > 2 && (message[0] & 0xff) == 0x0e && message[1] == 2) { // broker's metadata
            at = 6 + intAt(message, 2);
        }
        if ((message[at] & 0xff) == 0x0e && message[at + 1] == 1) {
            at += CHECKED_FROM;
        }
        return Arrays.copyOfRange(message, at + 4 + intAt(message, at), message.length);
    }

    private static int intAt(byte[] bytes, int at) {
        return java.nio.ByteBuffer.wrap(bytes).getInt(at);
    }
}
