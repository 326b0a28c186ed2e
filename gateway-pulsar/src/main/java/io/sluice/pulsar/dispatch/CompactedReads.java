package io.sluice.pulsar.dispatch;

import io.netty.buffer.ByteBuf;
import io.sluice.broker.entry.EntryFormat;
import io.sluice.broker.entry.EntryHeader;
import io.sluice.broker.log.CompactedView;
import io.sluice.broker.log.Entries;
import io.sluice.broker.log.EntriesReply;
import io.sluice.broker.log.PartitionLog;
import io.sluice.broker.log.SubscriptionStart;
import io.sluice.broker.subscription.Subscriptions;
import io.sluice.conversion.EntryConversions;
import io.sluice.pulsar.format.KeyedMessages;
import io.sluice.store.segment.Durable;
import io.sluice.store.segment.StoreFailure;

/** Reads of the compacted view for {@code readCompacted} consumers. Loop only. */
public final class CompactedReads {
    public static final String SUBSCRIPTION = Subscriptions.COMPACTION;

    private CompactedReads() {}

    /** The first offset there may be: what is compacted outlives the beginning of the log. */
    public static long start(PartitionLog log, boolean compacted) {
        return (compacted ? SubscriptionStart.FIRST_COMPACTED : SubscriptionStart.FIRST).applyAsLong(log);
    }

    /** Deletes a durable subscription; with Pulsar's own for compaction goes what was compacted. */
    public static void deleteSubscription(PartitionLog log, String name, Durable done) {
        if (name.equals(SUBSCRIPTION)) {
            log.subscriptions().delete(name, Durable.IGNORED);
            log.view().drop(done);
        } else {
            log.subscriptions().delete(name, done);
        }
    }

    /** Told the last message of the log, tells the last one that is left: what is compacted away is not waited for. */
    static EntryLocation last(PartitionLog log, EntryConversions conversions, EntryLocation reply) {
        return new EntryLocation() {
            @Override
            public void entry(long base, int offsets) {
                if (base >= log.view().horizon()) {
                    reply.entry(base, offsets);
                } else {
                    lastOf(log, conversions, reply);
                }
            }

            @Override
            public void gone() {
                lastOf(log, conversions, reply);
            }

            @Override
            public void failed(StoreFailure why) {
                reply.failed(why);
            }
        };
    }

    private static void lastOf(PartitionLog log, EntryConversions conversions, EntryLocation reply) {
        CompactedView view = log.view();
        long last = view.last();
        if (last < 0) {
            reply.gone();
            return;
        }
        view.read(last, 1, new EntriesReply() {
            @Override
            public void entries(Entries entries) {
                ByteBuf bytes = entries.bytes();
                int at = bytes.readerIndex();
                if (entries.format() == EntryFormat.KAFKA_V2) {
                    ConvertedEntry.last(log, bytes, EntryConversions.hasGaps(bytes, at), conversions, reply);
                    return;
                }
                long base = EntryHeader.baseOffset(bytes, at);
                int offsets = Math.max(1, KeyedMessages.lastIndex(bytes, at) + 1);
                bytes.release();
                reply.entry(base, offsets);
            }

            /** Another view has come meanwhile. */
            @Override
            public void atEnd() {
                lastOf(log, conversions, reply);
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
