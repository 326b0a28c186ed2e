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
final class SimulatedLog {
    private final Random random;
    private final boolean answersEarly;
    private final boolean refusedComesLater;
    private final boolean forgetsOwners;
    private final List<Entry> durable = new ArrayList<>();
    private final Deque<Entry> sequenced = new ArrayDeque<>();
    private int newest;

    private record Entry(ByteBuffer key, @Nullable ByteBuffer value, StateLog.Written written) {}

    /** What was refused and comes all the same: the planted bug. */
    private final Deque<Entry> late = new ArrayDeque<>();

    /** @param bug may be that it is said to be durable what a crash may lose, refused what comes later, or read without its owner */
    SimulatedLog(Random random, TransactionSim.Bug bug) {
        this.random = random;
        this.answersEarly = bug == TransactionSim.Bug.ANSWERS_BEFORE_DURABLE;
        this.forgetsOwners = bug == TransactionSim.Bug.FORGETS_OWNERS;
        this.refusedComesLater = bug == TransactionSim.Bug.REFUSED_COMES_LATER;
    }

    /** The log as the coordinator of this term has it, which is not told when the next one begins. */
    StateLog ofTerm(int term) {
        newest = term;
        return (key, value, written) -> {
            if (term < newest) {
                written.refused(TransactionError.NOT_COORDINATOR);
            } else {
                append(key, value, written);
            }
        };
    }

    private void append(ByteBuffer key, @Nullable ByteBuffer value, StateLog.Written written) {
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
        loseLease().run();
    }

    /** Another node has begun the next term. @return tells the process of the old one, which goes on */
    Runnable loseLease() {
        List<Entry> told = List.copyOf(sequenced);
        crash();
        return () -> {
            if (!answersEarly) {
                told.forEach(entry -> entry.written.lost());
            }
        };
    }

    void loadInto(TransactionShard shard) {
        for (Entry entry : durable) {
            ByteBuffer value = entry.value == null ? null : entry.value.duplicate();
            if (value != null
                    && forgetsOwners
                    && TransactionLog.read(entry.key.duplicate(), value) instanceof TransactionLog.TxnRecord known) {
                shard.load(known.transactionId(), known.metadata(), null);
            } else {
                StateRecords.load(entry.key.duplicate(), value, shard::load);
            }
        }
    }
}
