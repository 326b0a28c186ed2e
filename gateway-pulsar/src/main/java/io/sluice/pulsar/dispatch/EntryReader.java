package io.sluice.pulsar.dispatch;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.sluice.broker.entry.ClusterMarker;
import io.sluice.broker.entry.EntryFormat;
import io.sluice.broker.entry.EntryHeader;
import io.sluice.broker.log.Entries;
import io.sluice.broker.log.EntriesReply;
import io.sluice.broker.log.Isolation;
import io.sluice.broker.log.PartitionLog;
import io.sluice.conversion.EntryConversions;
import io.sluice.store.segment.Answer;
import io.sluice.store.segment.StoreFailure;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.List;

/**
 * Reads a partition's entries as consumers get them, without a consumer: what Kafka clients wrote is converted, and what is for no consumer is
 * left out. For routes that show messages to people; entries are copied.
 */
public final class EntryReader {
    private final EntryConversions conversions;

    public EntryReader(EntryConversions conversions) {
        this.conversions = conversions;
    }

    /**
     * An entry in Pulsar's format with the offsets {@code [base, base + offsets)}, or a marker.
     *
     * @param bytes on the heap, not to be released
     */
    public record Seen(long base, int offsets, ByteBuf bytes) {}

    /**
     * Entries one after the other.
     *
     * @param entries perhaps none, where all that was read is for no consumer
     * @param next offset to read on at
     */
    public record Run(List<Seen> entries, long next) {
        public Run {
            entries = List.copyOf(entries);
        }
    }

    /**
     * Reads from the entry that has {@code offset} on. On the loop.
     *
     * @param answer a run; one without entries whose {@code next} is not above {@code offset} says that there is no more
     */
    public void read(PartitionLog log, long offset, int maxBytes, Answer<Run> answer) {
        read(log, offset, maxBytes, false, answer);
    }

    /** As {@link #read}, with each {@link ClusterMarker} as it is in the log. */
    public void readWithMarkers(PartitionLog log, long offset, int maxBytes, Answer<Run> answer) {
        read(log, offset, maxBytes, true, answer);
    }

    private void read(PartitionLog log, long offset, int maxBytes, boolean markers, Answer<Run> answer) {
        log.read(offset, maxBytes, Isolation.COMMITTED, new EntriesReply() {
            @Override
            public void entries(Entries entries) {
                take(log, entries, markers, answer);
            }

            @Override
            public void atEnd() {
                answer.complete(new Run(List.of(), offset));
            }

            @Override
            public void outOfRange(long startOffset, long endOffset) {
                answer.complete(new Run(List.of(), Math.max(offset, startOffset)));
            }

            @Override
            public void failed(StoreFailure why) {
                answer.fail(why);
            }
        });
    }

    private void take(PartitionLog log, Entries run, boolean withMarkers, Answer<Run> answer) {
        ByteBuf bytes = run.bytes();
        BitSet without = without(log, run);
        List<Seen> markers = withMarkers ? markers(bytes) : List.of();
        if (run.format() == EntryFormat.PULSAR && !EntryConversions.anyHasGaps(bytes)) {
            answer.complete(new Run(copied(bytes, without), run.nextOffset()));
            bytes.release();
            return;
        }
        var place = new EntryConversions.Place(log.topicId(), log.partitionId());
        conversions.toPulsar(place, bytes, without, false, Integer.MAX_VALUE, new EntryConversions.Reply() {
            @Override
            public void converted(ByteBuf made, long nextOffset) {
                List<Seen> all = copied(made, new BitSet());
                made.release();
                all.addAll(markers);
                all.sort(Comparator.comparingLong(Seen::base));
                answer.complete(new Run(all, Math.max(nextOffset, run.nextOffset())));
            }

            @Override
            public void failed() {
                answer.fail(new StoreFailure.Overloaded("messages of Kafka clients cannot be converted now"));
            }
        });
    }

    /** Entries for no consumer, by their place in the run. */
    private static BitSet without(PartitionLog log, Entries run) {
        ByteBuf bytes = run.bytes();
        LeftOut leftOut = new LeftOut(log, run.nextOffset());
        BitSet without = new BitSet();
        int place = 0;
        for (int at = bytes.readerIndex(); at < bytes.writerIndex(); at += EntryHeader.size(bytes, at)) {
            without.set(place++, leftOut.is(bytes, at));
        }
        return without;
    }

    private static List<Seen> markers(ByteBuf bytes) {
        List<Seen> markers = new ArrayList<>();
        for (int at = bytes.readerIndex(); at < bytes.writerIndex(); at += EntryHeader.size(bytes, at)) {
            if (ClusterMarker.is(bytes, at)) {
                markers.add(copied(bytes, at));
            }
        }
        return markers;
    }

    private static List<Seen> copied(ByteBuf bytes, BitSet without) {
        List<Seen> all = new ArrayList<>();
        int place = 0;
        for (int at = bytes.readerIndex(); at < bytes.writerIndex(); at += EntryHeader.size(bytes, at)) {
            if (!without.get(place++)) {
                all.add(copied(bytes, at));
            }
        }
        return all;
    }

    private static Seen copied(ByteBuf bytes, int at) {
        byte[] copy = new byte[EntryHeader.size(bytes, at)];
        bytes.getBytes(at, copy);
        return new Seen(
                EntryHeader.baseOffset(bytes, at), EntryHeader.offsets(bytes, at), Unpooled.wrappedBuffer(copy));
    }
}
