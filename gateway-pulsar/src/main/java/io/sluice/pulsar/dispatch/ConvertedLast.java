package io.sluice.pulsar.dispatch;

import io.netty.buffer.ByteBuf;
import io.sluice.broker.entry.EntryHeader;
import io.sluice.broker.log.Entries;
import io.sluice.broker.log.EntriesReply;
import io.sluice.broker.log.Isolation;
import io.sluice.broker.log.PartitionLog;
import io.sluice.conversion.EntryConversions;
import io.sluice.store.segment.LoopTask;
import io.sluice.store.segment.StoreFailure;
import java.util.BitSet;

/** Last message of a batch as Pulsar's clients get it; told on the loop. */
record ConvertedLast(PartitionLog log, EntryLocation reply) implements EntryConversions.Reply {
    /** Finds that of the batch at {@code base}; {@code each} as below. */
    static void of(PartitionLog log, long base, boolean each, EntryConversions conversions, EntryLocation reply) {
        log.read(base, 1, Isolation.COMMITTED, new EntriesReply() {
            @Override
            public void entries(Entries entries) {
                of(log, entries.bytes(), each, conversions, reply);
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

    /**
     * Finds that of the first entry of {@code entries}, which are released.
     *
     * @param each whether each of its messages is an entry of its own
     */
    static void of(PartitionLog log, ByteBuf entries, boolean each, EntryConversions conversions, EntryLocation reply) {
        var place = new EntryConversions.Place(log.topicId(), log.partitionId());
        conversions.toPulsar(place, entries, new BitSet(), each, 1, new ConvertedLast(log, reply));
    }

    @Override
    public void converted(ByteBuf bytes, long nextOffset) {
        long base = -1;
        int offsets = 0;
        for (int at = bytes.readerIndex(); at < bytes.writerIndex(); at += EntryHeader.size(bytes, at)) {
            base = EntryHeader.baseOffset(bytes, at);
            offsets = EntryHeader.offsets(bytes, at);
        }
        bytes.release();
        tell(base, offsets);
    }

    private void tell(long base, int offsets) {
        log.container()
                .execute(LoopTask.of(
                        () -> {
                            if (base < 0) {
                                reply.gone();
                            } else {
                                reply.entry(base, offsets);
                            }
                        },
                        reply::failed));
    }

    @Override
    public void failed() {
        StoreFailure why = new StoreFailure.Overloaded("the last message cannot be converted");
        log.container().execute(LoopTask.of(() -> reply.failed(why), reply::failed));
    }
}
