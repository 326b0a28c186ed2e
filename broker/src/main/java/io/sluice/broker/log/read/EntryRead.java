package io.sluice.broker.log.read;

import io.netty.buffer.ByteBuf;
import io.sluice.broker.entry.EntryFormat;
import io.sluice.broker.entry.EntryHeader;
import io.sluice.broker.log.Entries;
import io.sluice.broker.log.EntriesReply;
import io.sluice.store.segment.StoreFailure;

/**
 * Finds the entry that contains an offset by going from header to header, then takes whole entries of one family of formats: as many as
 * fit, at least one.
 */
abstract class EntryRead extends PiecewiseRead {
    /** Bytes looked at together while searching. */
    static final int WINDOW = 64 << 10;

    final long offset;
    final long end;
    final int maxBytes;
    final EntriesReply reply;
    private boolean found;

    /** @param end no entry that begins here or later is taken */
    EntryRead(ExtentSource extents, EntrySource source, long offset, long end, int maxBytes, EntriesReply reply) {
        super(extents, source);
        this.offset = offset;
        this.end = end;
        this.maxBytes = maxBytes;
        this.reply = reply;
    }

    @Override
    int look(ByteBuf read) {
        return found ? collect(read) : search(read);
    }

    private int search(ByteBuf read) {
        int at = read.readerIndex();
        int end = read.writerIndex();
        while (end - at >= EntryHeader.SIZE) {
            int size = EntryHeader.size(read, at);
            if (size < EntryHeader.SIZE) {
                return damaged(position() + at - read.readerIndex());
            }
            if (EntryHeader.lastOffset(read, at) >= offset) {
                advance(at - read.readerIndex());
                found = true;
                return collect(read);
            }
            if (size > end - at) {
                skipTo(position() + at - read.readerIndex() + size);
                return wanted();
            }
            at += size;
        }
        if (at > read.readerIndex()) {
            skipTo(position() + at - read.readerIndex());
        }
        return wanted();
    }

    private int wanted() {
        return Math.max(maxBytes, WINDOW);
    }

    private int damaged(long where) {
        failed(new StoreFailure.Corrupt("no entry begins at " + place(where)));
        return 0;
    }

    private int collect(ByteBuf read) {
        int begin = read.readerIndex();
        int have = read.readableBytes();
        if (have < EntryHeader.SIZE) {
            return Math.max(maxBytes, EntryHeader.SIZE) - have;
        }
        int size = EntryHeader.size(read, begin);
        if (size < EntryHeader.SIZE) {
            return damaged(position());
        }
        return size > have ? size - have : deliver(read, begin, size);
    }

    private int deliver(ByteBuf read, int begin, int firstSize) {
        byte family = EntryFormat.family(EntryHeader.format(read, begin));
        int room = Math.min(maxBytes, read.readableBytes());
        int last = begin;
        int length = firstSize;
        while (room - length >= EntryHeader.SIZE && continues(read, begin + length, family)) {
            int size = EntryHeader.size(read, begin + length);
            if (size < EntryHeader.SIZE || size > room - length) {
                break;
            }
            last = begin + length;
            length += size;
        }
        long next = EntryHeader.lastOffset(read, last) + 1;
        readTo(next, position() + length, length);
        reply.entries(new Entries(take(begin, length), family, next));
        return 0;
    }

    private boolean continues(ByteBuf read, int at, byte family) {
        return EntryFormat.family(EntryHeader.format(read, at)) == family && EntryHeader.baseOffset(read, at) < end;
    }

    /** Tells how many bytes are handed out; the reader goes on at this offset, whose entry begins at this position. */
    abstract void readTo(long next, long position, int bytes);
}
