package io.sluice.pulsar.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.sluice.broker.entry.EntryHeader;
import io.sluice.broker.log.PartitionLog;
import io.sluice.pulsar.MustAppend;
import io.sluice.pulsar.format.Publish;
import org.apache.pulsar.common.api.proto.MessageMetadata;
import org.apache.pulsar.common.protocol.ByteBufPair;
import org.apache.pulsar.common.protocol.Commands;

/** Appends entries to a log as they come from a producer's connection. */
final class TestPublisher {
    private TestPublisher() {}

    /** On the loop. */
    static void append(PartitionLog log, MessageMetadata metadata, ByteBuf payload) {
        long sequence = metadata.getSequenceId();
        ByteBufPair sent = Commands.newSend(1, sequence, 1, Commands.ChecksumType.Crc32c, metadata, payload);
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
        log.append(entry, new MustAppend());
    }
}
