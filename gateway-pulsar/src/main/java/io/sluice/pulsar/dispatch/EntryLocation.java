package io.sluice.pulsar.dispatch;

import io.netty.buffer.ByteBuf;
import io.sluice.broker.entry.EntryHeader;
import io.sluice.broker.log.Entries;
import io.sluice.broker.log.EntriesReply;
import io.sluice.broker.log.Isolation;
import io.sluice.broker.log.PartitionLog;
import io.sluice.store.segment.StoreFailure;

/** Answer to {@link #find}; exactly one method is called, on the loop. */
public interface EntryLocation {
    /** The entry with the offsets {@code [base, base + offsets)}. */
    void entry(long base, int offsets);

    /** The offset is before the start or at the end of the log. */
    void gone();

    void failed(StoreFailure why);

    /** Which entry of {@code log} holds {@code offset}. */
    static void find(PartitionLog log, long offset, EntryLocation reply) {
        if (offset < log.startOffset() || offset >= log.readableEnd(Isolation.COMMITTED)) {
            reply.gone();
            return;
        }
        log.read(offset, 1, Isolation.COMMITTED, new EntriesReply() {
            @Override
            public void entries(Entries entries) {
                ByteBuf bytes = entries.bytes();
                long base = EntryHeader.baseOffset(bytes, bytes.readerIndex());
                int offsets = EntryHeader.offsets(bytes, bytes.readerIndex());
                bytes.release();
                reply.entry(base, offsets);
            }

            @Override
            public void atEnd() {
                reply.gone();
            }

            @Override
            public void outOfRange(long startOffset, long endOffset) {
                reply.gone();
            }

            @Override
            public void failed(StoreFailure why) {
                reply.failed(why);
            }
        });
    }
}
