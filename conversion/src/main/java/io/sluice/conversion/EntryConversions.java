package io.sluice.conversion;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.sluice.broker.entry.EntryFormat;
import io.sluice.broker.entry.EntryHeader;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.Semaphore;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Entries that a reader of the other protocol has come to, converted away from loops.
 *
 * <pre>
 *  loop ──entries──► virtual thread: each entry kept? ─► else a turn, converted ──► reply
 * </pre>
 *
 * <p>As many entries are converted at a time as there are processors. One that waits for a read of earlier entries, which may be in the
 * tier, does not count: others of other partitions go on meanwhile.
 */
public final class EntryConversions {
    private static final Logger LOG = LoggerFactory.getLogger(EntryConversions.class);

    /** Bytes that one entry may have, of which it takes three times as many for a moment: a part of the heap, within these. */
    private static final int MOST_BYTES = 32 << 20;

    private static final int LEAST_BYTES = 8 << 20;
    private static final int PART_FOR_ONE = 16;

    /** Part of the heap for entries that are kept. */
    private static final int PART_OF_HEAP = 64;

    /** Part of the heap for places of chunks. */
    private static final int PART_FOR_CHUNKS = 128;

    /** Messages in several entries that are put together at a time, each of {@link #PART_FOR_ONE} of the heap at most. */
    private static final int LOOKUPS = 4;

    private final EntryConverter converter;
    private final ConvertedEntries kept;
    private final ChunkIndex chunks;
    private final PrefixSource prefixes;
    private final Executor blocking;
    private final Semaphore turns = new Semaphore(Runtime.getRuntime().availableProcessors());
    /** For messages in chunks, which hold memory while they wait for reads. */
    private final Semaphore lookups = new Semaphore(LOOKUPS, true);

    /**
     * Partition of entries.
     *
     * @param topic see {@code Topic.id}
     * @param partition its own id
     */
    public record Place(UUID topic, long partition) {
        @Override
        public String toString() {
            return "partition " + partition;
        }
    }

    /** Answer; one method is called, once, on a virtual thread. */
    public interface Reply {
        /**
         * @param bytes whole entries; the callee's
         * @param nextOffset one past the last of those that they were made of, of which there is at least one
         */
        void converted(ByteBuf bytes, long nextOffset);

        /** The server has a fault, which is logged, or it stops, or the partition does not answer. */
        void failed();
    }

    /**
     * @param keptBytes of the heap, for entries that were converted last
     * @param chunkBytes of the heap, for places of chunks
     */
    EntryConversions(
            EntryConverter converter, long keptBytes, long chunkBytes, PrefixSource prefixes, Executor blocking) {
        this.converter = converter;
        this.kept = new ConvertedEntries(keptBytes);
        this.chunks = new ChunkIndex(chunkBytes);
        this.prefixes = prefixes;
        this.blocking = blocking;
    }

    /**
     * With a share of the heap.
     *
     * @param mostPulsarBytes see {@link EntryConverter}
     * @param blocking a virtual thread for each task
     */
    public static EntryConversions inHeap(int mostPulsarBytes, PrefixSource prefixes, Executor blocking) {
        long heap = Runtime.getRuntime().maxMemory();
        int most = Math.clamp(heap / PART_FOR_ONE, LEAST_BYTES, MOST_BYTES);
        return new EntryConversions(
                new EntryConverter(most, mostPulsarBytes),
                heap / PART_OF_HEAP,
                heap / PART_FOR_CHUNKS,
                prefixes,
                blocking);
    }

    /** The same without a registry of schemas. */
    public static EntryConversions inHeap(int mostPulsarBytes, Executor blocking) {
        return inHeap(mostPulsarBytes, PrefixSource.NONE, blocking);
    }

    /** Whether a Kafka batch of the topic may become several entries, because its records' schemas have several versions. Does not block. */
    public boolean maySplit(UUID topic) {
        TopicPrefixes known = prefixes.known(topic);
        return known == null || known.use() != TopicPrefixes.Use.KEEP && known.size() > 0;
    }

    /** Bytes of the heap that converted entries take. */
    public long keptBytes() {
        return kept.bytes();
    }

    /**
     * Pulsar entries as Kafka batches. Any thread.
     *
     * @param entries whole ones; passed on to this, which releases them
     * @param earlier entries of the partition before these
     * @param maxBytes of the result; one entry may have more
     */
    public void toKafka(Place place, ByteBuf entries, EarlierEntries earlier, int maxBytes, Reply reply) {
        start(place, entries, maxBytes, (at, _) -> toKafka(place, entries, at, earlier), reply);
    }

    /**
     * Entries as Pulsar entries: Kafka batches, and Pulsar entries that {@linkplain #hasGaps have gaps}; others of Pulsar's stay as they are. Any
     * thread.
     *
     * @param entries whole ones; passed on to this, which releases them
     * @param leftOut by place in the run: entries of which nothing becomes, as they are for no consumer
     * @param each whether each record becomes an entry of its own; messages of a batch that has gaps, or several schemas, do always
     * @param maxBytes of the result; what becomes of one entry may have more
     */
    public void toPulsar(Place place, ByteBuf entries, BitSet leftOut, boolean each, int maxBytes, Reply reply) {
        start(
                place,
                entries,
                maxBytes,
                (at, number) -> leftOut.get(number) ? Unpooled.EMPTY_BUFFER : toPulsar(place, entries, at, each),
                reply);
    }

    /**
     * Whether some messages of a batch were compacted away. A Pulsar client never acknowledges their places in a batch, so the others
     * become entries of their own.
     */
    public static boolean hasGaps(ByteBuf entries, int at) {
        return EntryHeader.count(entries, at) < EntryHeader.offsets(entries, at);
    }

    /** Whether an entry of a run, which are whole ones, {@link #hasGaps}. */
    public static boolean anyHasGaps(ByteBuf entries) {
        for (int at = entries.readerIndex(); at < entries.writerIndex(); at += EntryHeader.size(entries, at)) {
            if (hasGaps(entries, at)) {
                return true;
            }
        }
        return false;
    }

    /** Says what becomes of one entry. */
    private interface Made {
        ByteBuf of(int at, int number);
    }

    private void start(Place place, ByteBuf entries, int maxBytes, Made made, Reply reply) {
        try {
            blocking.execute(() -> run(place, entries, maxBytes, made, reply));
        } catch (RejectedExecutionException e) {
            entries.release();
            reply.failed();
        }
    }

    private void run(Place place, ByteBuf entries, int maxBytes, Made how, Reply reply) {
        List<ByteBuf> made = new ArrayList<>();
        ByteBuf all = null;
        long next = -1;
        try {
            int end = entries.writerIndex();
            int size = 0;
            for (int at = entries.readerIndex(); at < end; at += EntryHeader.size(entries, at)) {
                ByteBuf entry = how.of(at, made.size());
                if (next >= 0 && entry.readableBytes() > maxBytes - size) {
                    break;
                }
                size += entry.readableBytes();
                made.add(entry);
                next = EntryHeader.lastOffset(entries, at) + 1;
            }
            all = together(made);
        } catch (EarlierEntries.UnavailableException e) {
            LOG.debug("{}: an entry is converted when it is asked for again", place, e);
        } catch (RuntimeException | OutOfMemoryError e) {
            LOG.error("{}: an entry could not be converted", place, e);
        } finally {
            entries.release();
        }
        if (all == null) {
            reply.failed();
        } else {
            reply.converted(all, next);
        }
    }

    private ByteBuf toKafka(Place place, ByteBuf entries, int at, EarlierEntries earlier) {
        return kept(place, entries, at, false, its -> {
            Lookup lookup = new Lookup(earlier);
            try {
                return converter.toKafka(entries, at, new EarlierChunks(lookup, place.partition(), chunks), its);
            } finally {
                lookup.end();
            }
        });
    }

    /** Reads of one conversion, which gives its turn up while it waits for them. Who has a turn never waits for a lookup. */
    private final class Lookup implements EarlierEntries {
        private final EarlierEntries earlier;
        private boolean begun;

        Lookup(EarlierEntries earlier) {
            this.earlier = earlier;
        }

        @Override
        public @Nullable Run read(long offset, int maxBytes) {
            turns.release();
            try {
                if (!begun) {
                    lookups.acquireUninterruptibly();
                    begun = true;
                }
                return earlier.read(offset, maxBytes);
            } finally {
                turns.acquireUninterruptibly();
            }
        }

        void end() {
            if (begun) {
                lookups.release();
            }
        }
    }

    private ByteBuf toPulsar(Place place, ByteBuf entries, int at, boolean eachAlone) {
        boolean each = eachAlone || hasGaps(entries, at);
        if (EntryFormat.isPulsar(EntryHeader.format(entries, at))) {
            return hasGaps(entries, at)
                    ? kept(place, entries, at, true, _ -> converter.toParts(entries, at))
                    : Unpooled.copiedBuffer(entries.slice(at, EntryHeader.size(entries, at)));
        }
        return kept(
                place,
                entries,
                at,
                each,
                its -> each ? converter.toPulsarEach(entries, at, its) : converter.toPulsar(entries, at, its));
    }

    private ByteBuf kept(Place place, ByteBuf entries, int at, boolean each, Function<EntryPrefixes, ByteBuf> convert) {
        var key = new ConvertedEntries.Key(
                place.partition(), EntryHeader.baseOffset(entries, at), EntryHeader.crc(entries, at), each);
        return kept.get(key, made -> made == prefixes.known(place.topic()), () -> {
            EntryPrefixes its = new EntryPrefixes(prefixes, place.topic(), this::outOfTurn);
            turns.acquireUninterruptibly();
            try {
                ByteBuf made = convert.apply(its);
                return new ConvertedEntries.Made(made, its.used());
            } finally {
                turns.release();
            }
        });
    }

    /** A question that gives the turn up while it waits. */
    private EntryPrefixes.Waiting outOfTurn(EntryPrefixes.Waiting question) {
        return () -> {
            turns.release();
            try {
                return question.get();
            } finally {
                turns.acquireUninterruptibly();
            }
        };
    }

    /**
     * The entries in one buffer of its own, which its reader releases; outside of the heap, so that it goes to the socket as it is. The library copies
     * a buffer of several parts on the heap twice before it writes it.
     */
    private static ByteBuf together(List<ByteBuf> entries) {
        int size = 0;
        for (ByteBuf each : entries) {
            size += each.readableBytes();
        }
        if (size == 0) {
            return Unpooled.EMPTY_BUFFER;
        }
        ByteBuf all = PooledByteBufAllocator.DEFAULT.directBuffer(size, size);
        for (ByteBuf each : entries) {
            all.writeBytes(each, each.readerIndex(), each.readableBytes());
        }
        return all;
    }
}
