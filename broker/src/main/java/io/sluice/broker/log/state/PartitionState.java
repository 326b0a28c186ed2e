package io.sluice.broker.log.state;

import io.netty.buffer.ByteBuf;
import io.sluice.broker.entry.EntryFormat;
import io.sluice.broker.entry.EntryHeader;
import io.sluice.broker.entry.ProducerIds;
import io.sluice.broker.log.AppendRejection.Malformed;
import io.sluice.broker.log.DelayedRuns;
import io.sluice.broker.log.PartitionLog;
import io.sluice.broker.log.PartitionLog.EpochEnd;
import io.sluice.broker.log.PartitionTransactions;
import io.sluice.broker.log.ProducerLimits;
import io.sluice.broker.log.index.OffsetIndex;
import io.sluice.broker.log.index.OffsetIndex.Point;
import io.sluice.broker.log.state.AppendVerdict.Accept;
import io.sluice.broker.log.state.AppendVerdict.Refuse;
import io.sluice.broker.log.state.StatePart.Outcome;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Everything a partition knows of its entries, in parts, as of the last one sequenced. What an entry decides when it is
 * durable waits in {@link DurableOutcomes}.
 */
public final class PartitionState {
    private final ProducerLimits limits;
    private final Offsets offsets;
    private final EpochHistory epochs = new EpochHistory();
    private final LogClock clock = new LogClock();
    private final KafkaProducers kafka;
    private final PulsarProducers pulsar;
    private final ExclusiveWriter exclusive = new ExclusiveWriter();
    private final ViewPart view;
    private final MessageLedgers ledgers;
    private final Termination termination = new Termination();
    private final CompactionPart compacted = new CompactionPart();
    private final DelayPart delays = new DelayPart();
    /** In the order in which they hear of entries and notes: the clock before those who ask it. */
    private final List<StatePart> parts;

    private final TransactionsPart transactions;
    private final PartitionTransactions transactionsPort;
    private final DurableOutcomes outcomes = new DurableOutcomes();

    public PartitionState(ProducerLimits limits, int container, long segment) {
        this(limits, container, segment, new TransactionsPart(limits));
    }

    PartitionState(ProducerLimits limits, int container, long segment, TransactionsPart transactions) {
        this.limits = limits;
        this.transactions = transactions;
        offsets = new Offsets(container, segment);
        view = new ViewPart(container);
        ledgers = new MessageLedgers(view::isEmpty);
        kafka = new KafkaProducers(limits, clock, transactions::firstSequence, id -> transactions.openFrom(id) >= 0);
        pulsar = new PulsarProducers(limits, clock);
        transactionsPort = new StateTransactions(transactions, kafka);
        parts = List.of(
                offsets,
                epochs,
                clock,
                kafka,
                pulsar,
                exclusive,
                ledgers,
                transactions,
                termination,
                compacted,
                view,
                delays);
    }

    public List<StatePart> parts() {
        return parts;
    }

    @Nullable
    StatePart part(byte tag) {
        return parts.stream().filter(part -> part.tag() == tag).findFirst().orElse(null);
    }

    public Offsets offsets() {
        return offsets;
    }

    EpochHistory epochs() {
        return epochs;
    }

    LogClock clock() {
        return clock;
    }

    KafkaProducers kafkaProducers() {
        return kafka;
    }

    PulsarProducers pulsarProducers() {
        return pulsar;
    }

    ExclusiveWriter exclusiveWriter() {
        return exclusive;
    }

    public PartitionTransactions transactions() {
        return transactionsPort;
    }

    public ViewPart view() {
        return view;
    }

    /** See {@link PartitionLog#delays}. */
    public DelayedRuns delays() {
        return delays;
    }

    /** All of a snapshot was read. */
    public void restored() {
        delays.restoredUpTo(nextOffset());
    }

    /** Difference between leader epochs and the container's term. */
    public int aboveTerm() {
        return epochs.aboveTerm();
    }

    public void setAboveTerm(int aboveTerm) {
        epochs.setAboveTerm(aboveTerm);
    }

    /**
     * See {@link PartitionLog#endOfEpoch}.
     *
     * @param current epoch of the owner, which may not have written yet
     * @param end durable end
     */
    public EpochEnd endOfEpoch(int asked, int current, long end) {
        return epochs.endOf(asked, current, end);
    }

    public long partitionId() {
        return offsets.extents().partitionId();
    }

    /** See {@link PartitionLog#ledgerAt}. */
    public long ledgerAt(long offset) {
        return partitionId() + ledgers.at(offset);
    }

    /** See {@link PartitionLog#offsetOf}. */
    public long offsetOf(long ledger, long entry) {
        return ledgers.offsetOf(ledger - partitionId(), entry);
    }

    /** Whether entries of this leader epoch get a ledger of their own: an earlier term may have lost what it acknowledged, or this one may. */
    public boolean beginsLedger(boolean mayLoseAcknowledged, int epoch) {
        return (mayLoseAcknowledged || !ledgers.isEmpty()) && epoch <= MessageLedgers.LAST_EPOCH;
    }

    /** Highest sequence id of a named producer; -1 if none is remembered. */
    public long lastSequenceId(long producerId) {
        return pulsar.lastSequenceId(producerId);
    }

    /** Offset of the last append of a named producer; -1 if none is remembered. */
    public long lastOffset(long producerId) {
        return pulsar.lastOffset(producerId);
    }

    /** The largest epoch of an exclusive writer; -1 before the first. */
    public long exclusiveEpoch() {
        return exclusive.epoch();
    }

    public boolean isTerminated() {
        return termination.terminated();
    }

    /** End of the part of the log that was compacted; 0 if none was. */
    public long compactedTo() {
        return compacted.to();
    }

    public long nextOffset() {
        return offsets.next();
    }

    public long endPosition() {
        return offsets.endPosition();
    }

    public long startOffset() {
        return offsets.start();
    }

    public OffsetIndex index() {
        return offsets.index();
    }

    int trackedProducers() {
        return kafka.size() + pulsar.size();
    }

    /** Whether the clock must be noted before {@code entry} is appended, so that its producer can expire. */
    public boolean needsClock(ByteBuf entry, int at, long now) {
        boolean tracked = EntryHeader.producerId(entry, at) != EntryHeader.NO_PRODUCER;
        return (tracked || !kafka.isEmpty() || !pulsar.isEmpty()) && now - clock.now() >= limits.clockGrain();
    }

    /** Milliseconds between two notes of the clock. */
    public long clockGrain() {
        return limits.clockGrain();
    }

    /** Time of the next note of the clock. */
    public long nextClock(long now) {
        return clock.next(now, limits.clockGrain());
    }

    public AppendVerdict decide(ByteBuf entry) {
        Malformed malformed = check(entry);
        if (malformed != null) {
            return new Refuse(malformed);
        }
        int at = entry.readerIndex();
        for (int i = 0; i < parts.size(); i++) {
            AppendVerdict verdict = parts.get(i).decide(entry, at);
            if (verdict != null) {
                return verdict;
            }
        }
        return Accept.ACCEPT;
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
            case EntryFormat.PULSAR_TRANSACTIONAL -> checkTransactional(entry, at, readable);
            default -> new Malformed("unknown entry format " + EntryHeader.format(entry, at));
        };
    }

    private static @Nullable Malformed checkTransactional(ByteBuf entry, int at, int readable) {
        if (readable < EntryHeader.SIZE + PulsarProducers.PREFIX + Long.BYTES) {
            return new Malformed("the entry has no sequence id or no transaction");
        }
        return ProducerIds.isSingle(EntryHeader.transactionProducerId(entry, at))
                ? null
                : new Malformed("the entry's transaction is none");
    }

    /** @param position in the partition */
    public void applyAppend(long position, ByteBuf entry) {
        int at = entry.readerIndex();
        long end = position + entry.readableBytes();
        for (int i = 0; i < parts.size(); i++) {
            Outcome outcome = parts.get(i).append(entry, at, position);
            if (outcome != null) {
                outcomes.add(end, outcome);
            }
        }
    }

    public void applyNote(PartitionNote note) {
        parts.forEach(part -> part.note(note));
    }

    /** Entries that end at or below {@code position} are durable. */
    void durableTo(long position) {
        outcomes.durableTo(position);
    }

    /** The first entry of which it is not known whether it counts; {@link Long#MAX_VALUE} if there is none. */
    long undecidedFrom() {
        return transactions.undecidedFrom();
    }

    /** Where the log may be cut so that {@code offset} stays: the beginning of an entry, or the end. */
    public Point cutFor(long offset) {
        return offsets.cutFor(offset);
    }
}
