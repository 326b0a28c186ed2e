package io.sluice.broker.log.state;

import io.netty.buffer.ByteBuf;
import io.sluice.broker.entry.EndMarker;
import io.sluice.broker.entry.EntryFormat;
import io.sluice.broker.entry.EntryHeader;
import io.sluice.broker.entry.Packed;
import io.sluice.broker.entry.ProducerIds;
import io.sluice.broker.log.AppendRejection.OutOfOrderSequence;
import io.sluice.broker.log.AppendRejection.StaleCoordinator;
import io.sluice.broker.log.AppendRejection.StaleProducerEpoch;
import io.sluice.broker.log.PartitionTransactions;
import io.sluice.broker.log.ProducerLimits;
import io.sluice.broker.log.state.AppendVerdict.Duplicate;
import io.sluice.broker.log.state.AppendVerdict.Refuse;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.function.LongPredicate;
import org.jspecify.annotations.Nullable;

/**
 * Sequences of idempotent Kafka producers, by the rules of Kafka's own log: the last five batches of a producer's current
 * epoch are remembered, a repeat of one of them is a duplicate, any other batch must follow the last one. Of a producer
 * that is not known (any more) every sequence is accepted up to the first that is known to be on its way; a new epoch begins at
 * 0. A producer whose transaction is open is neither displaced by others nor expires.
 *
 * <p>In order of last append, but that those with an open transaction may be anywhere.
 */
final class KafkaProducers implements StatePart {
    static final byte TAG = 4;

    /** With the coordinator of each producer's transactions. */
    private static final byte COORDINATORS = 2;

    private final ProducerLimits limits;
    private final LogClock clock;
    private final FirstSequences firstSequences;
    private final LongPredicate inTransaction;
    private final LinkedHashMap<Long, Producer> byId = new LinkedHashMap<>(4);

    /** @param inTransaction whether a producer's transaction is open, which at most half as many as are remembered may have */
    KafkaProducers(ProducerLimits limits, LogClock clock, FirstSequences firstSequences, LongPredicate inTransaction) {
        this.limits = limits;
        this.clock = clock;
        this.firstSequences = firstSequences;
        this.inTransaction = inTransaction;
    }

    /** Latest sequence with which a producer that is not remembered can begin. */
    interface FirstSequences {
        int of(long producer, short epoch);
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

    /** As low as can be, so that an earlier server reads a partition without transactions. */
    @Override
    public byte version() {
        return byId.values().stream().anyMatch(p -> p.coordinatorEpoch >= 0) ? COORDINATORS : FIRST_VERSION;
    }

    @Override
    public byte newestVersion() {
        return COORDINATORS;
    }

    void forEach(Observer observer) {
        byId.values().forEach(p -> observer.producer(p.id, p.epoch, p.lastSequence(), p.lastSeen, p.coordinatorEpoch));
    }

    /** Told of each producer; see {@link PartitionTransactions.Producer}. */
    interface Observer {
        void producer(long id, short epoch, int lastSequence, long lastSeen, int coordinatorEpoch);
    }

    /** Whether the producer is to be remembered: an id of a single transaction writes nothing after its marker. */
    private static boolean isTracked(ByteBuf entry, int at) {
        long id = EntryHeader.producerId(entry, at);
        return id != EntryHeader.NO_PRODUCER
                && !ProducerIds.isSingle(id)
                && EntryHeader.format(entry, at) == EntryFormat.KAFKA_V2;
    }

    @Override
    public @Nullable AppendVerdict decide(ByteBuf entry, int at) {
        if (!isTracked(entry, at)) {
            return null;
        }
        Producer known = byId.get(EntryHeader.producerId(entry, at));
        return known == null ? decideOfUnknown(entry, at) : known.decide(entry, at);
    }

    private @Nullable AppendVerdict decideOfUnknown(ByteBuf entry, int at) {
        int sequence = EntryHeader.baseSequence(entry, at);
        long id = EntryHeader.producerId(entry, at);
        int first = firstSequences.of(id, EntryHeader.producerEpoch(entry, at));
        boolean misses = sequence > first && !EntryHeader.isControl(entry, at);
        return misses ? new Refuse(outOfOrder(id, first, sequence)) : null;
    }

    private static OutOfOrderSequence outOfOrder(long id, int expected, int got) {
        return new OutOfOrderSequence(
                id, expected, got, "producer " + id + ": expected sequence " + expected + ", got " + got);
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
        Producer producer = byId.get(id);
        if (producer == null) {
            producer = new Producer(id, EntryHeader.producerEpoch(entry, at));
        }
        producer.apply(entry, at, clock.now());
        byId.putLast(id, producer);
        displace();
    }

    /** Forgets the eldest producer. One with an open transaction goes to the end instead, so that it is not passed over with each append. */
    private void displace() {
        for (int left = byId.size(); left > 0 && byId.size() > limits.maxProducers(); left--) {
            Producer eldest = byId.pollFirstEntry().getValue();
            if (inTransaction.test(eldest.id)) {
                byId.putLast(eldest.id, eldest);
            }
        }
    }

    @Override
    public void note(PartitionNote note) {
        if (note instanceof PartitionNote.Clock) {
            expire();
        }
    }

    private void expire() {
        Iterator<Producer> all = byId.values().iterator();
        while (all.hasNext()) {
            Producer next = all.next();
            if (inTransaction.test(next.id)) {
                continue;
            }
            if (clock.now() - next.lastSeen < limits.expiryMillis()) {
                return;
            }
            all.remove();
        }
    }

    @Override
    public void snapshot(ByteBuf out) {
        byte version = version();
        Packed.writeUnsigned(out, byId.size());
        for (Producer p : byId.values()) {
            p.write(version, out);
        }
    }

    @Override
    public void restore(byte version, ByteBuf in) {
        for (int n = Packed.readCount(in); n > 0; n--) {
            Producer p = Producer.read(version, in);
            byId.put(p.id, p);
        }
        // If they are too many now, the next append displaces them: which have a transaction is not restored yet.
    }

    /** One producer id in its newest epoch. */
    private static final class Producer {
        private static final int REMEMBERED = 5;

        private final long id;
        private short epoch;
        private long lastSeen;
        /** Ring of the last batches; number {@code written - 1} is the newest. */
        private final int[] firstSequences = new int[REMEMBERED];

        private final int[] lastOffsetDeltas = new int[REMEMBERED];
        private final long[] baseOffsets = new long[REMEMBERED];
        private int size;
        private int next;

        /** Coordinator epoch of the last marker; -1 before the first. */
        private int coordinatorEpoch = -1;

        Producer(long id, short epoch) {
            this.id = id;
            this.epoch = epoch;
        }

        @Nullable
        AppendVerdict decide(ByteBuf entry, int at) {
            short gotEpoch = EntryHeader.producerEpoch(entry, at);
            int sequence = EntryHeader.baseSequence(entry, at);
            boolean control = EntryHeader.isControl(entry, at);
            boolean sequenced = sequence >= 0 && !control;
            if (sequenced && gotEpoch == epoch) {
                int repeated = find(sequence, EntryHeader.lastOffsetDelta(entry, at));
                if (repeated >= 0) {
                    return new Duplicate(baseOffsets[repeated], baseOffsets[repeated] + lastOffsetDeltas[repeated]);
                }
            }
            if (gotEpoch < epoch) {
                return new Refuse(new StaleProducerEpoch(
                        id, epoch, gotEpoch, "producer " + id + " has epoch " + epoch + ", not " + gotEpoch));
            }
            if (control && EndMarker.is(entry, at) && EndMarker.coordinatorEpoch(entry, at) < coordinatorEpoch) {
                return new Refuse(new StaleCoordinator("a later coordinator has ended transactions of producer " + id));
            }
            int expected = gotEpoch == epoch && size > 0 ? nextSequence() : 0;
            return !sequenced || sequence == expected ? null : new Refuse(outOfOrder(id, expected, sequence));
        }

        int lastSequence() {
            int last = slot(size - 1);
            return size == 0 ? -1 : plus(firstSequences[last], lastOffsetDeltas[last]);
        }

        private int nextSequence() {
            int last = slot(size - 1);
            return plus(firstSequences[last], lastOffsetDeltas[last] + 1);
        }

        /** Sequences run from 0 to 2^31 - 1 and start over. */
        private static int plus(int sequence, int count) {
            return (sequence + count) & Integer.MAX_VALUE;
        }

        private int slot(int age) {
            return (next - size + age + REMEMBERED) % REMEMBERED;
        }

        private int find(int sequence, int lastOffsetDelta) {
            for (int i = 0; i < size; i++) {
                int slot = slot(i);
                if (firstSequences[slot] == sequence && lastOffsetDeltas[slot] == lastOffsetDelta) {
                    return slot;
                }
            }
            return -1;
        }

        void apply(ByteBuf entry, int at, long clock) {
            lastSeen = clock;
            short gotEpoch = EntryHeader.producerEpoch(entry, at);
            if (gotEpoch != epoch) {
                epoch = gotEpoch;
                size = 0;
                next = 0;
            }
            if (EntryHeader.isControl(entry, at)) {
                if (EndMarker.is(entry, at)) {
                    coordinatorEpoch = Math.max(coordinatorEpoch, EndMarker.coordinatorEpoch(entry, at));
                }
                return;
            }
            int sequence = EntryHeader.baseSequence(entry, at);
            if (sequence >= 0) {
                remember(sequence, EntryHeader.lastOffsetDelta(entry, at), EntryHeader.baseOffset(entry, at));
            }
        }

        private void remember(int sequence, int lastOffsetDelta, long baseOffset) {
            firstSequences[next] = sequence;
            lastOffsetDeltas[next] = lastOffsetDelta;
            baseOffsets[next] = baseOffset;
            next = (next + 1) % REMEMBERED;
            size = Math.min(REMEMBERED, size + 1);
        }

        void write(byte version, ByteBuf out) {
            Packed.writeUnsigned(out, id);
            Packed.writeSigned(out, epoch);
            Packed.writeSigned(out, lastSeen);
            if (version >= COORDINATORS) {
                Packed.writeSigned(out, coordinatorEpoch);
            }
            out.writeByte(size);
            for (int i = 0; i < size; i++) {
                int slot = slot(i);
                Packed.writeUnsigned(out, firstSequences[slot]);
                Packed.writeUnsigned(out, lastOffsetDeltas[slot]);
                Packed.writeUnsigned(out, baseOffsets[slot]);
            }
        }

        static Producer read(byte version, ByteBuf in) {
            Producer p = new Producer(Packed.readUnsigned(in), (short) Packed.readSigned(in));
            p.lastSeen = Packed.readSigned(in);
            p.coordinatorEpoch = version >= COORDINATORS ? (int) Packed.readSigned(in) : -1;
            for (int n = in.readByte(); n > 0; n--) {
                int sequence = Packed.readCount(in);
                int delta = Packed.readCount(in);
                p.remember(sequence, delta, Packed.readUnsigned(in));
            }
            return p;
        }
    }
}
