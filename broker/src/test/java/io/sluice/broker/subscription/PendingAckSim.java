package io.sluice.broker.subscription;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.sluice.broker.subscription.TransactionalAck.Range;
import io.sluice.store.segment.Durable;
import io.sluice.store.segment.InMemoryContainer;
import io.sluice.store.segment.InMemoryContainers;
import io.sluice.store.segment.SegmentContainer;
import io.sluice.store.segment.SegmentRider;
import io.sluice.store.segment.StoreFailure;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/**
 * A random history of one subscription: acknowledgements with and without transactions, ends of those, seeks, checkpoints, and a
 * container that forgets what is not durable. A model that has each operation says what must be acknowledged, pending, refused.
 */
final class PendingAckSim implements AutoCloseable {
    private static final int END = 400;
    private static final int TRANSACTIONS = 4;

    private final Random random;
    private final PendingAckBug bug;
    private final InMemoryContainers containers =
            InMemoryContainers.callerDriven(1, (c, info, attributes, snapshot) -> new Rider(c, snapshot), () -> 0);
    private final List<Operation> operations = new ArrayList<>();
    private Model model = new Model();
    private @Nullable Rider rider;
    private boolean held;

    /** Durable once its note is. */
    private static final class Operation implements Durable {
        private final Change change;
        private boolean isDurable;

        Operation(Change change) {
            this.change = change;
        }

        @Override
        public void durable() {
            isDurable = true;
        }

        @Override
        public void failed(StoreFailure why) {
            // the container started again
        }
    }

    private interface Change {
        void to(Model model);
    }

    /** What is acknowledged, and in which transactions. */
    private static final class Model {
        private final BitSet acked = new BitSet();
        private final Map<Integer, Long> pending = new HashMap<>();
        private long cumulativeIn = -1;
        private int cumulativeTo = -1;

        boolean isTaken(int offset) {
            return acked.get(offset) || offset <= cumulativeTo || pending.containsKey(offset);
        }

        boolean has(long transaction) {
            return cumulativeIn == transaction || pending.containsValue(transaction);
        }

        void end(long transaction, boolean commit) {
            if (cumulativeIn == transaction) {
                if (commit) {
                    acked.set(0, cumulativeTo + 1);
                }
                cumulativeIn = -1;
                cumulativeTo = -1;
            }
            pending.entrySet().removeIf(each -> {
                boolean own = each.getValue() == transaction;
                if (own && commit) {
                    acked.set(each.getKey());
                }
                return own;
            });
        }

        void seek(int offset) {
            acked.clear();
            acked.set(0, offset);
            pending.clear();
            cumulativeIn = -1;
            cumulativeTo = -1;
        }

        boolean conflicts(List<Range> ranges) {
            BitSet seen = new BitSet();
            for (Range range : ranges) {
                boolean allAcked = true;
                for (int o = (int) range.from(); o <= range.to(); o++) {
                    if (acked.get(o) && !range.whole() || pending.containsKey(o) || seen.get(o)) {
                        return true;
                    }
                    seen.set(o);
                    allAcked &= acked.get(o);
                }
                if (allAcked) {
                    return true;
                }
            }
            return false;
        }

        boolean conflictsUpTo(long transaction, int offset) {
            return offset < acked.nextClearBit(0)
                    || cumulativeIn >= 0 && (cumulativeIn != transaction || offset <= cumulativeTo);
        }
    }

    private final class Rider implements SegmentRider {
        private final PartitionSubscriptions subscriptions;

        Rider(SegmentContainer container, @Nullable ByteBuf snapshot) {
            subscriptions = new PartitionSubscriptions(
                    container, 1, () -> END, new AckMemory(Long.MAX_VALUE), () -> new PlantedPendingAcks(bug), null);
            if (snapshot != null) {
                subscriptions.restore(snapshot.readByte(), snapshot);
            }
            rider = this;
        }

        @Override
        public void applyAppend(long position, ByteBuf data) {}

        @Override
        public void applyNote(ByteBuf note) {
            subscriptions.applyNote(note.readByte(), note);
        }

        @Override
        public void durable(long durableLength) {}

        @Override
        public void snapshot(ByteBuf out) {
            out.writeByte(subscriptions.version());
            subscriptions.snapshot(out);
        }

        @Override
        public void closed(StoreFailure why) {
            subscriptions.closed(why);
        }
    }

    PendingAckSim(long seed, PendingAckBug bug) {
        this.random = new Random(seed);
        this.bug = bug;
        containers.start();
        container().create(1, (byte) 1, Unpooled.EMPTY_BUFFER, Durable.IGNORED);
        if (rider == null) {
            throw new IllegalStateException("there is no rider");
        }
        rider.subscriptions.create("s", 0, Map.of(), Durable.IGNORED);
        containers.drain();
    }

    private InMemoryContainer container() {
        return containers.get(0);
    }

    private Cursor cursor() {
        Cursor found = rider == null ? null : rider.subscriptions.find("s");
        if (found == null) {
            throw new AssertionError("the subscription is gone");
        }
        return found;
    }

    /** @throws AssertionError the subscription is not what the model says */
    void run(int steps) {
        for (int i = 0; i < steps; i++) {
            step();
            check();
        }
        held = false;
        container().release();
        containers.drain();
        check();
    }

    private void step() {
        int what = random.nextInt(100);
        if (what < 20) {
            ack();
        } else if (what < 24) {
            int upTo = random.nextInt(END);
            change(m -> m.acked.set(0, upTo + 1), done -> cursor().ackUpTo(upTo, done));
        } else if (what < 50) {
            ackIn();
        } else if (what < 58) {
            ackInUpTo();
        } else if (what < 75) {
            end();
        } else if (what < 76) {
            int to = random.nextInt(END);
            change(m -> m.seek(to), done -> cursor().seek(to, done));
        } else if (what < 86) {
            held = !held;
            if (held) {
                container().hold();
            } else {
                container().release();
            }
        } else if (what < 91) {
            flush();
            container().checkpoint();
        } else if (what < 93) {
            restart();
        } else {
            containers.drain();
        }
    }

    /** Else a checkpoint has what no note says, and nobody was told. */
    private void flush() {
        if (rider != null) {
            rider.subscriptions.flush();
        }
    }

    private interface Call {
        void make(Durable done);
    }

    private void change(Change change, Call call) {
        Operation operation = new Operation(change);
        operations.add(operation);
        change.to(model);
        call.make(operation);
    }

    private void ack() {
        int from = random.nextInt(END);
        int to = Math.min(END - 1, from + random.nextInt(4));
        change(m -> m.acked.set(from, to + 1), done -> cursor().ack(from, to, done));
    }

    private void ackIn() {
        long transaction = random.nextInt(TRANSACTIONS);
        List<Range> ranges = new ArrayList<>();
        for (int n = 1 + random.nextInt(3); n > 0; n--) {
            int from = random.nextInt(END);
            ranges.add(new Range(from, Math.min(END - 1, from + random.nextInt(4)), random.nextBoolean()));
        }
        boolean conflicts = model.conflicts(ranges);
        Operation operation = new Operation(m -> ranges.forEach(range -> {
            for (int o = (int) range.from(); o <= range.to(); o++) {
                m.pending.put(o, transaction);
            }
        }));
        answered(operation, conflicts, cursor().ackIn(TransactionalAck.of(transaction, ranges), operation));
    }

    private void ackInUpTo() {
        long transaction = random.nextInt(TRANSACTIONS);
        int upTo = random.nextInt(END);
        boolean conflicts = model.conflictsUpTo(transaction, upTo);
        Operation operation = new Operation(m -> {
            m.cumulativeIn = transaction;
            m.cumulativeTo = upTo;
        });
        answered(operation, conflicts, cursor().ackIn(TransactionalAck.upTo(transaction, upTo), operation));
    }

    private void answered(Operation operation, boolean conflicts, @Nullable String answer) {
        if (conflicts != (answer != null)) {
            throw new AssertionError("an acknowledgement in a transaction was answered " + answer + ", it "
                    + (conflicts ? "conflicts" : "does not conflict"));
        }
        if (!conflicts) {
            operations.add(operation);
            operation.change.to(model);
        }
    }

    private void end() {
        long transaction = random.nextInt(TRANSACTIONS);
        boolean commit = random.nextBoolean();
        change(m -> m.end(transaction, commit), done -> cursor().endTransaction(transaction, commit, done));
    }

    /** What is durable stays, in its order. */
    private void restart() {
        containers.restart();
        held = false;
        operations.removeIf(operation -> !operation.isDurable);
        model = new Model();
        operations.forEach(operation -> operation.change.to(model));
    }

    private void check() {
        Cursor cursor = cursor();
        expect("acknowledged below", model.acked.nextClearBit(0), cursor.ackedBelow());
        int at = random.nextInt(END);
        expect("is acknowledged: " + at, model.acked.get(at) ? 1 : 0, cursor.isAcked(at) ? 1 : 0);
        expect("is taken: " + at, model.isTaken(at) ? 1 : 0, cursor.isTaken(at) ? 1 : 0);
        int free = at;
        while (model.isTaken(free)) {
            free++;
        }
        expect("next free from " + at, free, cursor.nextFree(at));
        int to = Math.min(END - 1, at + 10);
        int taken = 0;
        for (int o = at; o <= to; o++) {
            taken += model.isTaken(o) ? 1 : 0;
        }
        expect("taken of " + at + " to " + to, taken, cursor.countTaken(at, to));
        for (int t = 0; t < TRANSACTIONS; t++) {
            expect("transaction " + t + " has something", model.has(t) ? 1 : 0, cursor.hasPending(t) ? 1 : 0);
        }
    }

    private static void expect(String what, long expected, long got) {
        if (expected != got) {
            throw new AssertionError(what + ": " + got + ", not " + expected);
        }
    }

    @Override
    public void close() {
        containers.close();
    }
}
