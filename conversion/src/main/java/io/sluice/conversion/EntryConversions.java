package io.sluice.conversion;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.sluice.broker.entry.EntryHeader;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.Semaphore;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Entries that a reader of the other protocol has come to, converted away from loops.
 *
 * <pre>
 *  loop ──entries──► virtual thread: each entry kept? ─► else a turn, converted ──► reply
 * </pre>
 *
 * <p>As many entries are converted at a time as there are processors.
 */
public final class EntryConversions {
    private static final Logger LOG = LoggerFactory.getLogger(EntryConversions.class);

    /** Bytes that one entry may have, of which it takes three times as many for a moment: a part of the heap, within these. */
    private static final int MOST_BYTES = 32 << 20;

    private static final int LEAST_BYTES = 8 << 20;
    private static final int PART_FOR_ONE = 16;

    /** Part of the heap for entries that are kept. */
    private static final int PART_OF_HEAP = 64;

    private final EntryConverter converter;
    private final ConvertedEntries kept;
    private final Executor blocking;
    private final Semaphore turns = new Semaphore(Runtime.getRuntime().availableProcessors());

    /** Answer; one method is called, once, on a virtual thread. */
    public interface Reply {
        /**
         * @param bytes whole entries, at least one; the callee's
         * @param nextOffset one past the last of them
         */
        void converted(ByteBuf bytes, long nextOffset);

        /** The server has a fault, which is logged, or it stops. */
        void failed();
    }

    /** @param keptBytes of the heap, for entries that were converted last */
    EntryConversions(EntryConverter converter, long keptBytes, Executor blocking) {
        this.converter = converter;
        this.kept = new ConvertedEntries(keptBytes);
        this.blocking = blocking;
    }

    /**
     * With a share of the heap.
     *
     * @param mostPulsarBytes see {@link EntryConverter}
     * @param blocking a virtual thread for each task
     */
    public static EntryConversions inHeap(int mostPulsarBytes, Executor blocking) {
        long heap = Runtime.getRuntime().maxMemory();
        int most = Math.clamp(heap / PART_FOR_ONE, LEAST_BYTES, MOST_BYTES);
        return new EntryConversions(new EntryConverter(most, mostPulsarBytes), heap / PART_OF_HEAP, blocking);
    }

    /** Bytes of the heap that converted entries take. */
    public long keptBytes() {
        return kept.bytes();
    }

    /**
     * Pulsar entries as Kafka batches. Any thread.
     *
     * @param partition id of their partition
     * @param entries whole ones; passed on to this, which releases them
     * @param maxBytes of the result; one entry may have more
     */
    public void toKafka(long partition, ByteBuf entries, int maxBytes, Reply reply) {
        try {
            blocking.execute(() -> run(partition, entries, maxBytes, reply));
        } catch (RejectedExecutionException e) {
            entries.release();
            reply.failed();
        }
    }

    private void run(long partition, ByteBuf entries, int maxBytes, Reply reply) {
        List<ByteBuf> made = new ArrayList<>();
        long next = -1;
        try {
            int end = entries.writerIndex();
            int size = 0;
            for (int at = entries.readerIndex(); at < end; at += EntryHeader.size(entries, at)) {
                ByteBuf entry = toKafka(partition, entries, at);
                if (next >= 0 && size + entry.readableBytes() > maxBytes) {
                    break;
                }
                size += entry.readableBytes();
                made.add(entry);
                next = EntryHeader.lastOffset(entry, entry.readerIndex()) + 1;
            }
        } catch (RuntimeException | OutOfMemoryError e) {
            LOG.error("partition {}: an entry could not be converted", partition, e);
            next = -1;
        } finally {
            entries.release();
        }
        if (next < 0) {
            reply.failed();
        } else {
            reply.converted(together(made), next);
        }
    }

    private ByteBuf toKafka(long partition, ByteBuf entries, int at) {
        var key =
                new ConvertedEntries.Key(partition, EntryHeader.baseOffset(entries, at), EntryHeader.crc(entries, at));
        return kept.get(key, () -> {
            turns.acquireUninterruptibly();
            try {
                return converter.toKafka(entries, at);
            } finally {
                turns.release();
            }
        });
    }

    /** Copies them: readers release what they get, and small entries go to the socket in one piece. */
    private static ByteBuf together(List<ByteBuf> entries) {
        if (entries.size() == 1) {
            return Unpooled.wrappedBuffer(entries.getFirst().nioBuffer());
        }
        int size = 0;
        for (ByteBuf each : entries) {
            size += each.readableBytes();
        }
        ByteBuf all = Unpooled.buffer(size);
        for (ByteBuf each : entries) {
            all.writeBytes(each, each.readerIndex(), each.readableBytes());
        }
        return all;
    }
}
