package io.sluice.pulsar.dispatch;

import io.netty.buffer.ByteBuf;
import io.sluice.broker.entry.EntryFormat;
import io.sluice.broker.entry.EntryHeader;
import io.sluice.broker.log.Entries;
import io.sluice.broker.log.EntriesReply;
import io.sluice.broker.log.Isolation;
import io.sluice.broker.log.PartitionLog;
import io.sluice.conversion.EntryConversions;
import io.sluice.store.segment.StoreFailure;

/** Answer to {@link #find}; exactly one method is called, on the loop. */
public interface EntryLocation {
    /** The entry with the offsets {@code [base, base + offsets)}. */
    void entry(long base, int offsets);

    /** As {@link #entry}, of a Kafka batch: its first message may be handed out as an entry of its own, see {@link FirstMessages}. */
    default void kafkaBatch(long base, int offsets) {
        entry(base, offsets);
    }

    /**
     * A message of a batch of which compaction has left a part: it is the entry {@code [offset, offset + 1)} now, for who was handed out the
     * whole batch before that {@code [base, base + offsets)}.
     */
    default void leftOfBatch(long offset, long base, int offsets) {
        entry(offset, 1);
    }

    /** Entries at the offsets {@code [from, to)} were compacted away; {@code from} is the offset that was asked for. */
    default void compactedAway(long from, long to) {
        gone();
    }

    /** The offset is before the start or at the end of the log, or what it had was compacted away. */
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
                int at = bytes.readerIndex();
                long base = EntryHeader.baseOffset(bytes, at);
                int offsets = EntryHeader.offsets(bytes, at);
                boolean hasGaps = EntryConversions.hasGaps(bytes, at);
                bytes.release();
                if (base > offset) {
                    reply.compactedAway(offset, base);
                } else if (hasGaps) {
                    reply.leftOfBatch(offset, base, offsets);
                } else if (entries.format() == EntryFormat.PULSAR) {
                    reply.entry(base, offsets);
                } else if (offset > base) {
                    reply.entry(offset, 1); // as above, an entry of its own
                } else {
                    reply.kafkaBatch(base, offsets);
                }
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
