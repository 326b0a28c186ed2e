package io.sluice.broker.log.state;

import io.netty.buffer.ByteBuf;
import io.sluice.broker.entry.EndMarker;
import io.sluice.broker.entry.EntryHeader;
import io.sluice.broker.entry.Packed;
import io.sluice.broker.entry.ProducerIds;
import io.sluice.broker.log.AppendRejection.InvalidTransaction;
import io.sluice.broker.log.PartitionTransactions.Aborted;
import io.sluice.broker.log.PartitionTransactions.Verification;
import io.sluice.broker.log.ProducerLimits;
import io.sluice.broker.log.state.AppendVerdict.Refuse;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Which transactions are open, and what of those that have ended readers leave out.
 *
 * <pre>
 *   verified ─ first entry ─► open ─ marker sequenced ─► ended ─ marker durable ─► decided
 *                             └────────── undecided for readers ───────────┘
 * </pre>
 */
class TransactionsPart implements StatePart {
    static final byte TAG = 8;

    /** Aborted transactions that a partition remembers; beyond it no transaction begins, until retention lets some go. */
    static final int MOST_ABORTED = 1 << 18;

    private final ProducerLimits limits;
    private final Map<Long, Open> open = new HashMap<>(4);

    private final TreeSet<Long> openFrom = new TreeSet<>();

    /** First offsets of transactions whose end is not durable. */
    private final TreeSet<Long> undecided = new TreeSet<>();

    private final AbortedTransactions aborted = new AbortedTransactions();

    /** Not a part of the state: after a restart it is asked again. By producer, what it asked and whether it was told yes. */
    private final LinkedHashMap<Long, Question> questions = new LinkedHashMap<>(4);

    /** As of what is sequenced. */
    private record Open(long first, short epoch) {}

    /** @param outdated a marker came before the answer */
    private record Question(Verification asked, boolean affirmed, boolean outdated) {}

    /** Open ones of producers that go on after them; single ones are bounded by their coordinators. */
    private int ofProducers;

    /** @param limits as many producers as are remembered may be about to begin a transaction */
    TransactionsPart(ProducerLimits limits) {
        this.limits = limits;
    }

    @Override
    public byte tag() {
        return TAG;
    }

    @Override
    public boolean isEmpty() {
        return open.isEmpty() && aborted.size() == 0;
    }

    boolean isOpen(long producer, short epoch) {
        Open now = open.get(producer);
        return now != null && now.epoch == epoch;
    }

    int open() {
        return open.size();
    }

    int aborted() {
        return aborted.size();
    }

    /** First offset of the producer's open transaction; -1 if it has none. */
    long openFrom(long producer) {
        Open now = open.get(producer);
        return now == null ? -1 : now.first;
    }

    /** Epoch of a producer whose transaction is open. */
    short openEpoch(long producer) {
        return Objects.requireNonNull(open.get(producer)).epoch;
    }

    /** Producers whose transactions are open, a copy. */
    Set<Long> producers() {
        return new HashSet<>(open.keySet());
    }

    Verification verify(long producer, short epoch) {
        Question known = questions.get(producer);
        if (known != null && known.asked.epoch() == epoch) {
            return known.asked;
        }
        Verification asked = new Verification(producer, epoch);
        questions.putLast(producer, new Question(asked, false, false));
        EldestEviction.evict(questions, limits.maxProducers());
        return asked;
    }

    boolean verified(Verification asked) {
        Question known = questions.get(asked.producerId());
        if (known != null && known.asked == asked) {
            if (!known.outdated) {
                questions.put(asked.producerId(), new Question(asked, true, false));
                return true;
            }
            questions.remove(asked.producerId());
        }
        return isOpen(asked.producerId(), asked.epoch());
    }

    List<Aborted> abortedIn(long from, long to) {
        return aborted.in(from, to);
    }

    @Override
    public @Nullable AppendVerdict decide(ByteBuf entry, int at) {
        long producer = EntryHeader.transactionProducerId(entry, at);
        if (producer == EntryHeader.NO_PRODUCER || EntryHeader.isControl(entry, at)) {
            return null;
        }
        if (ProducerIds.isSingle(EntryHeader.producerId(entry, at))) {
            return refuse(EntryHeader.producerId(entry, at), "is no producer, but a transaction");
        }
        Open now = open.get(producer);
        if (!EntryHeader.isTransactional(entry, at)) {
            return now == null ? null : refuse(producer, "writes outside of its transaction, which is open");
        }
        short epoch = EntryHeader.transactionProducerEpoch(entry, at);
        if (now != null) {
            return now.epoch == epoch ? null : refuse(producer, "has an open transaction of epoch " + now.epoch);
        }
        Question known = questions.get(producer);
        if (known == null || !known.affirmed || known.asked.epoch() != epoch) {
            return refuse(producer, "has no transaction that its coordinator knows of");
        }
        if (!ProducerIds.isSingle(producer) && ofProducers >= limits.maxInTransactions()) {
            return refuse(producer, "begins a transaction in a partition that has " + ofProducers + " open ones");
        }
        return aborted.size() < MOST_ABORTED
                ? null
                : refuse(producer, "begins a transaction in a partition that has " + MOST_ABORTED + " aborted ones");
    }

    /** The latest sequence with which a producer can begin here that is not remembered. */
    int firstSequence(long producer, short epoch) {
        Question known = questions.get(producer);
        return known != null && known.asked.epoch() == epoch ? known.asked.firstSequence() : Integer.MAX_VALUE;
    }

    private static Refuse refuse(long producer, String why) {
        return new Refuse(new InvalidTransaction("producer " + producer + " " + why));
    }

    @Override
    public @Nullable Outcome append(ByteBuf entry, int at, long position) {
        if (!EntryHeader.isTransactional(entry, at)) {
            return null;
        }
        long producer = EntryHeader.transactionProducerId(entry, at);
        long base = EntryHeader.baseOffset(entry, at);
        if (!EntryHeader.isControl(entry, at)) {
            questions.remove(producer);
            if (!open.containsKey(producer)) {
                opened(producer, new Open(base, EntryHeader.transactionProducerEpoch(entry, at)));
            }
            return null;
        }
        questions.computeIfPresent(
                producer, (id, of) -> of.asked.asker() == null ? null : new Question(of.asked, false, true));
        return EndMarker.is(entry, at) ? end(producer, base, EndMarker.commits(entry, at)) : null;
    }

    private void opened(long producer, Open now) {
        open.put(producer, now);
        openFrom.add(now.first);
        undecided.add(now.first);
        ofProducers += ProducerIds.isSingle(producer) ? 0 : 1;
    }

    private @Nullable Outcome end(long producer, long marker, boolean commit) {
        Open ended = open.remove(producer);
        if (ended == null) {
            return null;
        }
        openFrom.remove(ended.first);
        ofProducers -= ProducerIds.isSingle(producer) ? 0 : 1;
        if (!commit) {
            // Told before the marker is durable: no read goes as far as this transaction until it is.
            long stable = openFrom.isEmpty() ? marker + 1 : openFrom.first();
            aborted.add(producer, ended.first, marker, stable);
        }
        return () -> undecided.remove(ended.first);
    }

    @Override
    public void note(PartitionNote note) {
        if (note instanceof PartitionNote.Start moved) {
            aborted.dropBefore(moved.offset());
        }
        if (note instanceof PartitionNote.Compacted compacted && !compacted.all()) {
            // what they had written is gone
            aborted.dropBefore(compacted.offset());
        }
    }

    /** The first entry of which it is not known whether it counts; {@link Long#MAX_VALUE} if there is none. */
    long undecidedFrom() {
        return undecided.isEmpty() ? Long.MAX_VALUE : undecided.first();
    }

    @Override
    public void snapshot(ByteBuf out) {
        Packed.writeUnsigned(out, open.size());
        open.forEach((producer, each) -> {
            Packed.writeUnsigned(out, producer);
            Packed.writeSigned(out, each.epoch);
            Packed.writeUnsigned(out, each.first);
        });
        aborted.write(out);
    }

    @Override
    public void restore(byte version, ByteBuf in) {
        for (int n = Packed.readCount(in); n > 0; n--) {
            long producer = Packed.readUnsigned(in);
            short epoch = (short) Packed.readSigned(in);
            long first = Packed.readUnsigned(in);
            opened(producer, new Open(first, epoch));
        }
        aborted.read(in);
    }
}
