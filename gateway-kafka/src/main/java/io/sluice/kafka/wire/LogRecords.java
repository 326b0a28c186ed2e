package io.sluice.kafka.wire;

import io.netty.buffer.ByteBuf;
import org.apache.kafka.common.record.internal.BaseRecords;
import org.apache.kafka.common.record.internal.RecordsSend;

/**
 * Record batches as they lie in the log, put into a response message: the bytes are spliced into the response, not copied.
 *
 * @param bytes owned by whoever made the message; the encoded response holds its own reference
 */
public record LogRecords(ByteBuf bytes) implements BaseRecords {
    @Override
    public int sizeInBytes() {
        return bytes.readableBytes();
    }

    @Override
    public RecordsSend<? extends BaseRecords> toSend() {
        throw new UnsupportedOperationException("sent by Netty");
    }
}
