package io.sluice.broker.log;

import io.netty.buffer.ByteBuf;
import io.sluice.broker.entry.EntryHeader;
import io.sluice.broker.entry.Packed;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** The least that a part must keep for transactions: which are open, and which of those that ended are known to have. */
final class MarkedTransactions implements StatePart.Undecided {
    static final byte TAG = 99;
    private static final short TRANSACTIONAL = 0x10;
    private static final short CONTROL = 0x20;

    private final PartitionSimBug bug;
    /** By producer, the first offset of the transaction that is open as of what is sequenced. */
    private final Map<Long, Long> open = new LinkedHashMap<>();
    /** First offsets of transactions whose end is not durable. */
    private final TreeSet<Long> undecided = new TreeSet<>();

    MarkedTransactions(PartitionSimBug bug) {
        this.bug = bug;
    }

    static ByteBuf inTransaction(ByteBuf entry) {
        return entry.setShort(21, TRANSACTIONAL);
    }

    static ByteBuf marker(ByteBuf entry) {
        return entry.setShort(21, TRANSACTIONAL | CONTROL);
    }

    @Override
    public byte tag() {
        return TAG;
    }

    @Override
    public byte version() {
        return 1;
    }

    @Override
    public boolean isEmpty() {
        return open.isEmpty() && undecided.isEmpty();
    }

    @Override
    public @Nullable Outcome append(ByteBuf entry, int at, long position) {
        short attributes = EntryHeader.attributes(entry, at);
        if ((attributes & TRANSACTIONAL) == 0) {
            return null;
        }
        long producer = EntryHeader.producerId(entry, at);
        if ((attributes & CONTROL) == 0) {
            long base = EntryHeader.baseOffset(entry, at);
            if (open.putIfAbsent(producer, base) == null) {
                undecided.add(base);
            }
            return null;
        }
        Long first = open.remove(producer);
        if (first == null) {
            return null;
        }
        if (bug == PartitionSimBug.MARKER_COUNTS_BEFORE_IT_IS_DURABLE) {
            undecided.remove(first);
            return null;
        }
        return () -> undecided.remove(first);
    }

    @Override
    public long undecidedFrom() {
        return undecided.isEmpty() ? Long.MAX_VALUE : undecided.first();
    }

    @Override
    public void snapshot(ByteBuf out) {
        Packed.writeUnsigned(out, open.size());
        open.forEach((producer, first) -> {
            Packed.writeUnsigned(out, producer);
            Packed.writeUnsigned(out, first);
        });
        boolean keepsPending = bug == PartitionSimBug.SNAPSHOT_KEEPS_WHAT_IS_IN_FLIGHT_UNDECIDED;
        Packed.writeUnsigned(out, keepsPending ? undecided.size() : 0);
        if (keepsPending) {
            undecided.forEach(first -> Packed.writeUnsigned(out, first));
        }
    }

    @Override
    public void restore(byte version, ByteBuf in) {
        for (int n = Packed.readCount(in); n > 0; n--) {
            long producer = Packed.readUnsigned(in);
            open.put(producer, Packed.readUnsigned(in));
        }
        undecided.addAll(open.values());
        for (int n = Packed.readCount(in); n > 0; n--) {
            undecided.add(Packed.readUnsigned(in));
        }
    }
}
