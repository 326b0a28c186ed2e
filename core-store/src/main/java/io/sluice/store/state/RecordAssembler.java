package io.sluice.store.state;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.sluice.store.wal.FrameReader;
import io.sluice.store.wal.WalException;
import java.io.IOException;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/** Puts the records of one ledger together again, checks them and hands them on; the counterpart of {@link FrameBuilder}. */
public final class RecordAssembler implements FrameReader {
    /** No record comes near; a spoilt chain of fragments must end somewhere. */
    private static final int MOST_RECORD_BYTES = 1 << 30;

    private final Records records;
    private final CRC32C crc = new CRC32C();
    private @Nullable ByteBuf unfinished;

    public RecordAssembler(Records records) {
        this.records = records;
    }

    /** Takes operations in log order; their buffers are borrowed for the call. */
    public interface Records {
        void operation(LogOperation operation) throws WalException;
    }

    @Override
    public void frame(ByteBuf frame) throws WalException {
        if (frame.readableBytes() < LogFormat.FRAME_HEADER) {
            throw corrupt("a log frame of " + frame.readableBytes() + " bytes");
        }
        int magic = frame.readUnsignedShort();
        int version = frame.readUnsignedByte();
        if (magic != LogFormat.MAGIC) {
            throw corrupt("a log frame begins with " + Integer.toHexString(magic));
        }
        if (version != LogFormat.VERSION) {
            throw corrupt("a log frame has version " + version + ", this server reads " + LogFormat.VERSION);
        }
        while (frame.isReadable()) {
            fragment(frame);
        }
    }

    /** Drops a record that the ledger's end has cut off: it was never acknowledged. Says whether there was one. */
    public boolean endOfLedger() {
        ByteBuf dropped = unfinished;
        unfinished = null;
        return dropped != null;
    }

    private void fragment(ByteBuf frame) throws WalException {
        if (frame.readableBytes() < LogFormat.FRAGMENT_HEADER) {
            throw corrupt("a log frame ends inside a fragment's header");
        }
        int flags = frame.readUnsignedByte();
        int length = frame.readInt();
        if (length <= 0 || length > frame.readableBytes() || flags > (LogFormat.FIRST | LogFormat.LAST)) {
            throw corrupt("a log fragment of " + length + " bytes, flags " + flags);
        }
        ByteBuf bytes = frame.readSlice(length);
        boolean first = (flags & LogFormat.FIRST) != 0;
        boolean last = (flags & LogFormat.LAST) != 0;
        if (first != (unfinished == null)) {
            throw corrupt(first ? "a log record begins inside another" : "a log record goes on that never began");
        }
        ByteBuf record = first && last ? bytes : joined(bytes);
        if (last) {
            unfinished = null;
            complete(record);
        }
    }

    private ByteBuf joined(ByteBuf bytes) throws WalException.Corrupt {
        if (unfinished == null) {
            unfinished = Unpooled.buffer(bytes.readableBytes() * 2);
        }
        if (unfinished.readableBytes() > MOST_RECORD_BYTES - bytes.readableBytes()) {
            throw corrupt("a log record of over " + MOST_RECORD_BYTES + " bytes");
        }
        return unfinished.writeBytes(bytes);
    }

    private void complete(ByteBuf record) throws WalException {
        if (record.readableBytes() < LogFormat.RECORD_HEADER) {
            throw corrupt("a log record of " + record.readableBytes() + " bytes");
        }
        int expected = record.readInt();
        crc.reset();
        crc.update(record.nioBuffer());
        if (expected != (int) crc.getValue()) {
            throw corrupt("a log record of " + record.readableBytes() + " bytes fails its checksum");
        }
        records.operation(OperationCodec.decode(record));
    }

    private static WalException.Corrupt corrupt(String message) {
        return new WalException.Corrupt(message, new IOException(message));
    }
}
