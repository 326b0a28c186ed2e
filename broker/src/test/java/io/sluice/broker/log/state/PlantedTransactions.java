package io.sluice.broker.log.state;

import io.netty.buffer.ByteBuf;
import io.sluice.broker.entry.EntryHeader;
import io.sluice.broker.entry.Packed;
import io.sluice.broker.log.PartitionTransactions.Aborted;
import io.sluice.broker.log.ProducerLimits;
import io.sluice.broker.log.open.PartitionSimBug;
import java.util.List;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Transactions with a mistake. */
public final class PlantedTransactions extends TransactionsPart {
    private final PartitionSimBug bug;

    /** First offsets of transactions whose marker is in flight. */
    private final TreeSet<Long> ending = new TreeSet<>();

    private final TreeSet<Long> neverEnding = new TreeSet<>();
    private boolean restored;

    private PlantedTransactions(PartitionSimBug bug) {
        super(ProducerLimits.DEFAULT);
        this.bug = bug;
    }

    /** State of a new partition whose transactions have the mistake. */
    public static PartitionState state(PartitionSimBug bug, int container, long segment) {
        return new PartitionState(ProducerLimits.DEFAULT, container, segment, new PlantedTransactions(bug));
    }

    @Override
    public @Nullable Outcome append(ByteBuf entry, int at, long position) {
        long first = openFrom(EntryHeader.producerId(entry, at));
        Outcome outcome = super.append(entry, at, position);
        if (outcome == null) {
            return null;
        }
        if (bug == PartitionSimBug.MARKER_COUNTS_BEFORE_IT_IS_DURABLE) {
            outcome.durable();
            return null;
        }
        ending.add(first);
        return () -> {
            ending.remove(first);
            outcome.durable();
        };
    }

    @Override
    long undecidedFrom() {
        return neverEnding.isEmpty() ? super.undecidedFrom() : Math.min(neverEnding.first(), super.undecidedFrom());
    }

    @Override
    List<Aborted> abortedIn(long from, long to) {
        List<Aborted> found = super.abortedIn(from, to);
        return switch (bug) {
            case ABORTED_IS_FORGOTTEN_BY_A_RESTART -> restored ? List.of() : found;
            case SEARCH_FOR_ABORTED_ENDS_TOO_EARLY -> found.isEmpty() ? found : found.subList(0, 1);
            default -> found;
        };
    }

    @Override
    public boolean isEmpty() {
        return super.isEmpty() && ending.isEmpty();
    }

    @Override
    public void snapshot(ByteBuf out) {
        super.snapshot(out);
        boolean keeps = bug == PartitionSimBug.SNAPSHOT_KEEPS_WHAT_IS_IN_FLIGHT_UNDECIDED;
        Packed.writeUnsigned(out, keeps ? ending.size() : 0);
        if (keeps) {
            ending.forEach(first -> Packed.writeUnsigned(out, first));
        }
    }

    @Override
    public void restore(byte version, ByteBuf in) {
        super.restore(version, in);
        for (int n = Packed.readCount(in); n > 0; n--) {
            neverEnding.add(Packed.readUnsigned(in));
        }
        restored = true;
    }
}
