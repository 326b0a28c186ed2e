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

/**
 * The first or the last of the entries that a batch becomes for Pulsar's clients; told on the loop.
 *
 * @param first whether it is the first
 */
record ConvertedEntry(PartitionLog log, boolean first, EntryLocation reply) implements EntryConversions.Reply {
    /** Finds the first of the batch at {@code base}. */
    static void first(PartitionLog log, long base, EntryConversions conversions, EntryLocation reply) {
        find(log, base, false, conversions, new ConvertedEntry(log, true, reply));
    }

    /** Finds the last of the batch at {@code base}; {@code each} as below. */
    static void last(PartitionLog log, long base, boolean each, EntryConversions conversions, EntryLocation reply) {
        find(log, base, each, conversions, new ConvertedEntry(log, false, reply));
    }

    /**
     * Finds the last of the first entry of {@code entries}, which are released.
     *
     * @param each whether each of its messages is an entry of its own
     */
    static void last(
            PartitionLog log, ByteBuf entries, boolean each, EntryConversions conversions, EntryLocation reply) {
        convert(log, entries, each, conversions, new ConvertedEntry(log, false, reply));
    }

    private static void find(
            PartitionLog log, long base, boolean each, EntryConversions conversions, ConvertedEntry wanted) {
        EntryLocation reply = wanted.reply;
        log.read(base, 1, Isolation.COMMITTED, new EntriesReply() {
            @Override
            public void entries(Entries entries) {
                convert(log, entries.bytes(), each, conversions, wanted);
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

    private static void convert(
            PartitionLog log, ByteBuf entries, boolean each, EntryConversions conversions, ConvertedEntry wanted) {
        var place = new EntryConversions.Place(log.topicId(), log.partitionId());
        conversions.toPulsar(place, entries, new BitSet(), each, 1, wanted);
    }

    @Override
    public void converted(ByteBuf bytes, long nextOffset) {
        long base = -1;
        int offsets = 0;
        for (int at = bytes.readerIndex();
                at < bytes.writerIndex() && !(first && base >= 0);
                at += EntryHeader.size(bytes, at)) {
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
        StoreFailure why = new StoreFailure.Overloaded("a batch cannot be converted");
        log.container().execute(LoopTask.of(() -> reply.failed(why), reply::failed));
    }
}
