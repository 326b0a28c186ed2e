package io.sluice.kafka.wire;

import io.netty.buffer.ByteBuf;
import java.util.List;
import org.apache.kafka.common.record.internal.BaseRecords;
import org.apache.kafka.common.record.internal.RecordsSend;

/**
 * Record batches as they lie in the log, put into a response message: the bytes are spliced into the response, not copied.
 *
 * @param pieces one after the other; owned by the maker of the message, the encoded response holds references of its own
 * @param sizeInBytes of all pieces
 */
public record LogRecords(List<ByteBuf> pieces, int sizeInBytes) implements BaseRecords {
    @Override
    public RecordsSend<? extends BaseRecords> toSend() {
        throw new UnsupportedOperationException("sent by Netty");
    }
}
