package io.sluice.broker.log.state;

import io.netty.buffer.ByteBuf;
import io.sluice.broker.entry.EntryFormat;
import io.sluice.broker.entry.EntryHeader;
import io.sluice.broker.entry.Packed;
import io.sluice.broker.log.ProducerLimits;
import io.sluice.broker.log.state.AppendVerdict.Duplicate;
import java.util.Iterator;
import java.util.LinkedHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Highest sequence id of each named Pulsar producer. An entry whose first sequence id is not above it is a duplicate; gaps
 * are fine. In order of last append.
 */
final class PulsarProducers implements StatePart {
    static final byte TAG = 5;
    /** Bytes of {@code highestSequenceId} at the beginning of the body. */
    static final int PREFIX = Long.BYTES;

    private final ProducerLimits limits;
    private final LogClock clock;
    private final LinkedHashMap<Long, Producer> byId = new LinkedHashMap<>(4);

    private static final class Producer {
        private long highest;
        private long baseOffset;
        private long lastOffset;
        private long lastSeen;
    }

    PulsarProducers(ProducerLimits limits, LogClock clock) {
        this.limits = limits;
        this.clock = clock;
    }

    @Override
    public byte tag() {
        return TAG;
    }

    @Override
    public boolean isEmpty() {
        return byId.isEmpty();
    }

    int size() {
        return byId.size();
    }

    long lastSequenceId(long id) {
        Producer p = byId.get(id);
        return p == null ? -1 : p.highest;
    }

    /** Offset of the last append under this id; -1 if there was none. */
    long lastOffset(long id) {
        Producer p = byId.get(id);
        return p == null ? -1 : p.lastOffset;
    }

    private static long highest(ByteBuf entry, int at) {
        return entry.getLong(at + EntryHeader.SIZE);
    }

    private static long lowest(ByteBuf entry, int at) {
        return highest(entry, at) - Math.max(0, EntryHeader.baseSequence(entry, at));
    }

    private static boolean isTracked(ByteBuf entry, int at) {
        return EntryHeader.producerId(entry, at) != EntryHeader.NO_PRODUCER
                && EntryFormat.isPulsar(EntryHeader.format(entry, at));
    }

    @Override
    public @Nullable AppendVerdict decide(ByteBuf entry, int at) {
        Producer p = isTracked(entry, at) ? byId.get(EntryHeader.producerId(entry, at)) : null;
        if (p == null || lowest(entry, at) > p.highest) {
            return null;
        }
        return highest(entry, at) == p.highest ? new Duplicate(p.baseOffset, p.lastOffset) : new Duplicate(-1, -1);
    }

    @Override
    public @Nullable Outcome append(ByteBuf entry, int at, long position) {
        if (isTracked(entry, at)) {
            apply(entry, at);
        }
        return null;
    }

    private void apply(ByteBuf entry, int at) {
        long id = EntryHeader.producerId(entry, at);
        Producer known = byId.get(id);
        Producer p = known == null ? new Producer() : known;
        p.highest = highest(entry, at);
        p.baseOffset = EntryHeader.baseOffset(entry, at);
        p.lastOffset = EntryHeader.lastOffset(entry, at);
        p.lastSeen = clock.now();
        byId.putLast(id, p);
        EldestEviction.evict(byId, limits.maxProducers());
    }

    @Override
    public void note(PartitionNote note) {
        if (note instanceof PartitionNote.Clock) {
            expire();
        }
    }

    private void expire() {
        Iterator<Producer> eldest = byId.values().iterator();
        while (eldest.hasNext() && clock.now() - eldest.next().lastSeen >= limits.expiryMillis()) {
            eldest.remove();
        }
    }

    @Override
    public void snapshot(ByteBuf out) {
        Packed.writeUnsigned(out, byId.size());
        byId.forEach((id, p) -> {
            out.writeLong(id);
            Packed.writeSigned(out, p.highest);
            Packed.writeUnsigned(out, p.baseOffset);
            Packed.writeUnsigned(out, p.lastOffset - p.baseOffset);
            Packed.writeSigned(out, p.lastSeen);
        });
    }

    @Override
    public void restore(byte version, ByteBuf in) {
        for (int n = Packed.readCount(in); n > 0; n--) {
            Producer p = new Producer();
            byId.put(in.readLong(), p);
            p.highest = Packed.readSigned(in);
            p.baseOffset = Packed.readUnsigned(in);
            p.lastOffset = p.baseOffset + Packed.readUnsigned(in);
            p.lastSeen = Packed.readSigned(in);
        }
        EldestEviction.evict(byId, limits.maxProducers());
    }
}
