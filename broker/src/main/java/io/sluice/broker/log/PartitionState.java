package io.sluice.broker.log;

import io.netty.buffer.ByteBuf;
import io.sluice.broker.entry.EntryFormat;
import io.sluice.broker.entry.EntryHeader;
import io.sluice.broker.entry.Packed;
import io.sluice.broker.log.AppendRejection.Malformed;
import io.sluice.broker.log.AppendVerdict.Accept;
import io.sluice.broker.log.AppendVerdict.Refuse;
import io.sluice.broker.log.OffsetIndex.Point;
import org.jspecify.annotations.Nullable;

/**
 * Everything a partition knows of its entries, as of the last one sequenced. Pure: {@link #decide} reads, {@code apply*}
 * writes, and neither knows a clock, so recovery ends in the same state.
 */
final class PartitionState {
    private static final byte VERSION = 2;
    /** Without {@link #exclusiveEpoch}. */
    private static final byte FIRST_VERSION = 1;

    private long nextOffset;
    private long endPosition;
    private long startOffset;
    private long startPosition;
    /** Time of the last clock note, milliseconds since the epoch; stands still between notes. */
    private long clock;
    /** The largest epoch of an exclusive writer; -1 before the first. */
    private long exclusiveEpoch = -1;

    /** All entries from {@link #uniformFrom} to the end have the format {@link #lastFormat}. */
    private long uniformFrom;

    private byte lastFormat;
    private final ProducerLimits limits;
    private OffsetIndex index = new OffsetIndex();
    private EpochHistory epochs = new EpochHistory();
    private KafkaProducers kafka;
    private PulsarProducers pulsar;

    PartitionState(ProducerLimits limits) {
        this.limits = limits;
        kafka = new KafkaProducers(limits);
        pulsar = new PulsarProducers(limits);
    }

    long nextOffset() {
        return nextOffset;
    }

    long endPosition() {
        return endPosition;
    }

    long startOffset() {
        return startOffset;
    }

    long startPosition() {
        return startPosition;
    }

    OffsetIndex index() {
        return index;
    }

    EpochHistory epochs() {
        return epochs;
    }

    PulsarProducers pulsarProducers() {
        return pulsar;
    }

    int trackedProducers() {
        return kafka.size() + pulsar.size();
    }

    long exclusiveEpoch() {
        return exclusiveEpoch;
    }

    byte lastFormat() {
        return lastFormat;
    }

    /** Whether everything from {@code offset} to the end has one format. */
    boolean isUniformFrom(long offset) {
        return offset >= uniformFrom;
    }

    /** Whether the clock must be noted before {@code entry} is appended, so that its producer can expire. */
    boolean needsClock(ByteBuf entry, int at, long now) {
        boolean tracked = EntryHeader.producerId(entry, at) != EntryHeader.NO_PRODUCER;
        return (tracked || !kafka.isEmpty() || !pulsar.isEmpty()) && now - clock >= limits.clockGrain();
    }

    /** Milliseconds between two notes of the clock. */
    long clockGrain() {
        return limits.clockGrain();
    }

    /**
     * What the next note of the clock says. A machine may start with a wrong time, far ahead, and producers that the log forgets for
     * it do not come back; so the clock moves by no more than two grains, and follows a long silence at twice the pace of time.
     */
    long nextClock(long now) {
        return clock == 0 ? now : Math.min(now, clock + 2 * limits.clockGrain());
    }

    AppendVerdict decide(ByteBuf entry) {
        Malformed malformed = check(entry);
        if (malformed != null) {
            return new Refuse(malformed);
        }
        int at = entry.readerIndex();
        if (EntryHeader.producerId(entry, at) == EntryHeader.NO_PRODUCER) {
            return Accept.ACCEPT;
        }
        return isPulsar(entry, at) ? pulsar.decide(entry, at) : kafka.decide(entry, at);
    }

    private static boolean isPulsar(ByteBuf entry, int at) {
        return EntryHeader.format(entry, at) == EntryFormat.PULSAR;
    }

    private static @Nullable Malformed check(ByteBuf entry) {
        int at = entry.readerIndex();
        int readable = entry.readableBytes();
        if (readable < EntryHeader.SIZE || EntryHeader.size(entry, at) != readable) {
            return new Malformed("the entry's length does not match its " + readable + " bytes");
        }
        int count = EntryHeader.count(entry, at);
        int offsets = EntryHeader.offsets(entry, at);
        if (count < 0 || offsets < 1 || offsets < count) {
            return new Malformed("the entry has " + count + " messages in " + offsets + " offsets");
        }
        if (EntryHeader.producerId(entry, at) < EntryHeader.NO_PRODUCER) {
            return new Malformed("the entry's producer id is negative");
        }
        return switch (EntryHeader.format(entry, at)) {
            case EntryFormat.KAFKA_V2 -> null;
            case EntryFormat.PULSAR ->
                readable >= EntryHeader.SIZE + PulsarProducers.PREFIX
                        ? null
                        : new Malformed("the entry has no sequence id");
            default -> new Malformed("unknown entry format " + EntryHeader.format(entry, at));
        };
    }

    void applyAppend(long position, ByteBuf entry) {
        int at = entry.readerIndex();
        long base = EntryHeader.baseOffset(entry, at);
        if (base != nextOffset || position != endPosition || EntryHeader.size(entry, at) != entry.readableBytes()) {
            throw new IllegalStateException("entry with offset " + base + " at position " + position
                    + " does not continue offset " + nextOffset + " at position " + endPosition);
        }
        noteFormat(EntryHeader.format(entry, at));
        epochs.written(EntryHeader.leaderEpoch(entry, at), base);
        index.add(base, position, EntryHeader.maxTimestamp(entry, at));
        if (EntryHeader.producerId(entry, at) != EntryHeader.NO_PRODUCER) {
            applyProducer(entry, at);
        }
        nextOffset = EntryHeader.lastOffset(entry, at) + 1;
        endPosition = position + entry.readableBytes();
    }

    private void noteFormat(byte format) {
        if (format != lastFormat) {
            lastFormat = format;
            uniformFrom = nextOffset;
        }
    }

    private void applyProducer(ByteBuf entry, int at) {
        if (isPulsar(entry, at)) {
            pulsar.apply(entry, at, clock);
        } else {
            kafka.apply(entry, at, clock);
        }
    }

    /** See {@link PartitionNotes}; the type byte has been read. */
    void applyNote(byte type, ByteBuf note) {
        switch (type) {
            case PartitionNotes.CLOCK -> applyClock(note.readLong());
            case PartitionNotes.START ->
                applyStart(Packed.readUnsigned(note), Packed.readUnsigned(note), Packed.readUnsigned(note));
            case PartitionNotes.EXCLUSIVE_EPOCH -> exclusiveEpoch = Math.max(exclusiveEpoch, Packed.readUnsigned(note));
            default ->
                throw new IllegalStateException(
                        "note of unknown type " + type + ": a newer version wrote this partition");
        }
    }

    private void applyClock(long now) {
        clock = Math.max(clock, now);
        kafka.expire(clock);
        pulsar.expire(clock);
    }

    private void applyStart(long start, long baseOffset, long position) {
        if (start <= startOffset) {
            return;
        }
        startOffset = start;
        startPosition = Math.max(startPosition, position);
        if (position == endPosition) {
            index.clear();
        } else {
            index.dropBefore(baseOffset, position);
        }
        epochs.dropBefore(start);
    }

    /** Where the log may be cut so that {@code offset} stays: the beginning of an entry, or the end. */
    Point cutFor(long offset) {
        return offset >= nextOffset ? new Point(nextOffset, endPosition) : index.atOrBelow(offset);
    }

    void snapshot(ByteBuf out) {
        out.writeByte(VERSION);
        Packed.writeUnsigned(out, nextOffset);
        Packed.writeUnsigned(out, endPosition);
        Packed.writeUnsigned(out, startOffset);
        Packed.writeUnsigned(out, startPosition);
        Packed.writeSigned(out, clock);
        Packed.writeUnsigned(out, uniformFrom);
        out.writeByte(lastFormat);
        Packed.writeSigned(out, exclusiveEpoch);
        index.snapshot(out);
        epochs.snapshot(out);
        kafka.snapshot(out);
        pulsar.snapshot(out);
    }

    static PartitionState restore(ProducerLimits limits, ByteBuf in) {
        byte version = in.readByte();
        if (version != VERSION && version != FIRST_VERSION) {
            throw new IllegalStateException("partition snapshot has version " + version + ": a newer server wrote it");
        }
        PartitionState state = new PartitionState(limits);
        state.nextOffset = Packed.readUnsigned(in);
        state.endPosition = Packed.readUnsigned(in);
        state.startOffset = Packed.readUnsigned(in);
        state.startPosition = Packed.readUnsigned(in);
        state.clock = Packed.readSigned(in);
        state.uniformFrom = Packed.readUnsigned(in);
        state.lastFormat = in.readByte();
        state.exclusiveEpoch = version == FIRST_VERSION ? -1 : Packed.readSigned(in);
        state.index = OffsetIndex.restore(in);
        state.epochs = EpochHistory.restore(in);
        state.kafka = KafkaProducers.restore(limits, in);
        state.pulsar = PulsarProducers.restore(limits, in);
        return state;
    }
}
