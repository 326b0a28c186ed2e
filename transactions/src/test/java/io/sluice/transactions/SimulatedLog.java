package io.sluice.transactions;

import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import org.apache.kafka.coordinator.transaction.TransactionLog;
import org.jspecify.annotations.Nullable;

/** A state log that becomes durable one record at a time, and of whose rest a crash keeps some. */
final class SimulatedLog implements StateLog {
    private final Random random;
    private final boolean answersEarly;
    private final boolean refusedComesLater;
    private final List<Entry> durable = new ArrayList<>();
    private final Deque<Entry> sequenced = new ArrayDeque<>();

    private record Entry(ByteBuffer key, @Nullable ByteBuffer value, Written written) {}

    /** What was refused and comes all the same: the planted bug. */
    private final Deque<Entry> late = new ArrayDeque<>();

    /** @param bug may be that it is said to be durable what a crash may lose, or refused what comes later */
    SimulatedLog(Random random, TransactionSim.Bug bug) {
        this.random = random;
        this.answersEarly = bug == TransactionSim.Bug.ANSWERS_BEFORE_DURABLE;
        this.refusedComesLater = bug == TransactionSim.Bug.REFUSED_COMES_LATER;
    }

    @Override
    public void append(ByteBuffer key, @Nullable ByteBuffer value, Written written) {
        if (random.nextInt(50) == 0) {
            if (refusedComesLater) {
                late.add(new Entry(key, value, written));
            }
            written.refused(TransactionError.UNAVAILABLE);
            return;
        }
        sequenced.add(new Entry(key, value, written));
        if (answersEarly) {
            written.durable();
        }
    }

    boolean hasWork() {
        return !sequenced.isEmpty();
    }

    void makeDurable() {
        Entry next = sequenced.remove();
        durable.add(next);
        if (!late.isEmpty() && random.nextInt(4) == 0) {
            durable.add(late.remove());
        }
        if (!answersEarly) {
            next.written.durable();
        }
    }

    /** The process is gone: nobody hears of what was under way. */
    void crash() {
        int kept = random.nextInt(sequenced.size() + 1);
        for (int i = 0; i < kept; i++) {
            durable.add(sequenced.remove());
        }
        sequenced.clear();
    }

    /** The term ended; the process goes on, and is told. */
    void loseTerm() {
        List<Entry> told = List.copyOf(sequenced);
        crash();
        if (!answersEarly) {
            told.forEach(entry -> entry.written.lost());
        }
    }

    void loadInto(TransactionShard shard) {
        for (Entry entry : durable) {
            ByteBuffer value = entry.value;
            switch (TransactionLog.read(entry.key.duplicate(), value == null ? null : value.duplicate())) {
                case TransactionLog.TxnRecord known -> shard.load(known.transactionId(), known.metadata());
                case TransactionLog.TxnTombstone gone -> shard.load(gone.transactionId(), null);
                case TransactionLog.ReadResult other -> throw new AssertionError(other);
            }
        }
    }
}
