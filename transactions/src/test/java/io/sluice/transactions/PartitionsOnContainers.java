package io.sluice.transactions;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.sluice.broker.TestEntries;
import io.sluice.broker.entry.EndMarker;
import io.sluice.broker.entry.EntryHeader;
import io.sluice.broker.entry.ProducerIds;
import io.sluice.broker.log.AppendRejection;
import io.sluice.broker.log.AppendReply;
import io.sluice.broker.log.Isolation;
import io.sluice.broker.log.LoopQuestion;
import io.sluice.broker.log.PartitionAttributes;
import io.sluice.broker.log.PartitionLog;
import io.sluice.broker.log.PartitionTransactions;
import io.sluice.broker.log.ProducerLimits;
import io.sluice.broker.log.SegmentKinds;
import io.sluice.broker.log.open.OpenPartitions;
import io.sluice.broker.log.open.PartitionRiderFactory;
import io.sluice.broker.subscription.Cursor;
import io.sluice.broker.subscription.TransactionalAck;
import io.sluice.broker.subscription.TransactionalAck.Range;
import io.sluice.store.segment.Durable;
import io.sluice.store.segment.InMemoryContainers;
import io.sluice.store.segment.SegmentContainer;
import io.sluice.store.segment.StoreFailure;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.UUID;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Partitions with their real logs and subscriptions, in two containers. One of these acknowledges before it syncs, so that its machine's
 * crash takes back what was acknowledged last. Machines crash at any time, also without the coordinator's.
 */
class PartitionsOnContainers implements SimulatedPartitions {
    private static final int PARTITIONS = 4;
    static final int CONTAINERS = 2;
    private static final int DEFERRING = 0;
    private static final String SUBSCRIPTION = "s";

    private final Random random;
    private final boolean toldBeforeSynced;
    private final boolean trustsAnswers;
    private final LateAnswers answers;
    private final OpenPartitions open = new OpenPartitions();
    private final InMemoryContainers containers;
    private final List<List<Data>> data = new ArrayList<>();

    /** By partition and offset: the transaction that acknowledged it last in the subscription. */
    private final List<Map<Long, Acked>> acknowledged = new ArrayList<>();

    private int underWay;
    private boolean calm;

    private static final class Acked {
        private final Object transaction;

        /** No crash takes it back. */
        private boolean synced;

        Acked(Object transaction) {
            this.transaction = transaction;
        }
    }

    private record Data(long offset, long producer, Object transaction) {}

    /**
     * @param bug may be that a marker counts as written once it is acknowledged, or that something is written when the coordinator says so,
     *     though the transaction's marker has come meanwhile
     */
    PartitionsOnContainers(Random random, TransactionSim.Bug bug) {
        this.random = random;
        this.answers = new LateAnswers(random);
        this.toldBeforeSynced = bug == TransactionSim.Bug.COMPLETES_BEFORE_SYNCED;
        this.trustsAnswers = bug == TransactionSim.Bug.TRUSTS_AN_ANSWER_FROM_BEFORE_THE_END;
        PartitionRiderFactory riders = new PartitionRiderFactory(ProducerLimits.DEFAULT, open);
        containers = InMemoryContainers.callerDriven(CONTAINERS, riders, () -> 1_000_000);
        riders.containers(containers);
        containers.defer(DEFERRING);
        containers.start();
        for (int p = 0; p < PARTITIONS; p++) {
            data.add(new ArrayList<>());
            acknowledged.add(new HashMap<>());
            ByteBuf attributes = Unpooled.buffer();
            new PartitionAttributes("t", new UUID(1, 2), p).write(attributes);
            containers.get(p % CONTAINERS).create(p, SegmentKinds.PARTITION, attributes, Durable.IGNORED);
            log(p).append(TestEntries.plain(100, 1, 1_000_000), new Ignoring());
            log(p).subscriptions().create(SUBSCRIPTION, 0, Map.of(), Durable.IGNORED);
            log(p).container().barrier(Durable.IGNORED);
        }
        containers.drain();
    }

    final InMemoryContainers containers() {
        return containers;
    }

    final boolean isCalm() {
        return calm;
    }

    /** Asks the coordinator; its answer may come later. */
    void ask(TransactionQuestion question, BooleanSupplier coordinator, Consumer<Boolean> answer) {
        boolean verified = coordinator.getAsBoolean();
        answers.give(() -> answer.accept(verified));
    }

    final PartitionLog log(int partition) {
        return Objects.requireNonNull(open.find(partition));
    }

    @Override
    public Participant some() {
        boolean subscription = random.nextInt(3) == 0;
        return new Participant("t", random.nextInt(PARTITIONS), subscription ? SUBSCRIPTION : null);
    }

    @Override
    public void write(Participant partition, Marker marker, Consumer<Fate> done) {
        underWay++;
        Consumer<Fate> counted = fate -> {
            underWay--;
            done.accept(fate);
        };
        PartitionLog log = log(partition.partition());
        if (toldBeforeSynced) {
            writeUnsafely(log, partition, marker, counted);
        } else {
            PartitionMarkers.write(log, partition.subscription(), marker, counted);
        }
    }

    private static void writeUnsafely(PartitionLog log, Participant to, Marker marker, Consumer<Fate> done) {
        long id = marker.producer().id();
        if (to.subscription() != null) {
            Cursor cursor = log.subscriptions().find(to.subscription());
            if (cursor == null) {
                done.accept(Fate.NOT_NEEDED);
            } else {
                cursor.endTransaction(id, marker.commit(), new Telling(done));
            }
            return;
        }
        short epoch = marker.producer().epoch();
        log.append(
                EndMarker.entry(
                        UnpooledByteBufAllocator.DEFAULT,
                        id,
                        epoch,
                        marker.coordinatorEpoch(),
                        marker.commit(),
                        1_000_000),
                new Telling(done));
    }

    private record Telling(Consumer<Fate> done) implements AppendReply, Durable {
        @Override
        public void appended(long baseOffset, long lastOffset) {
            done.accept(Fate.WRITTEN);
        }

        @Override
        public void durable() {
            done.accept(Fate.WRITTEN);
        }

        @Override
        public void duplicate(long baseOffset, long lastOffset) {
            done.accept(Fate.WRITTEN);
        }

        @Override
        public void rejected(AppendRejection why) {
            done.accept(Fate.NOT_NEEDED);
        }

        @Override
        public void failed(StoreFailure why) {
            done.accept(Fate.UNKNOWN);
        }
    }

    @Override
    public void append(Participant name, ProducerIdentity producer, Object transaction) {
        int p = name.partition();
        PartitionLog log = log(p);
        if (name.subscription() != null) {
            acknowledge(p, producer.id(), transaction);
            return;
        }
        PartitionTransactions transactions = log.transactions();
        if (!transactions.isOpen(producer.id(), producer.epoch())) {
            transactions.verified(transactions.verify(producer.id(), producer.epoch()));
        }
        log.append(
                entry(producer),
                new Ignoring(),
                offset -> data.get(p).add(new Data(offset, producer.id(), transaction)));
    }

    @Override
    public void verifyAndAppend(TransactionQuestion question, Object transaction, BooleanSupplier coordinator) {
        Participant name = question.partition();
        PartitionLog log = log(name.partition());
        Cursor cursor = name.subscription() == null ? null : log.subscriptions().find(name.subscription());
        if (name.subscription() == null) {
            new Verification(log, null, question, transaction, coordinator).ask();
        } else if (cursor != null) {
            new Verification(log, cursor, question, transaction, coordinator).ask();
        }
    }

    /** As the gateways have it: an end that comes before the answer has them ask again. */
    private final class Verification implements LoopQuestion.Asker<Boolean>, Cursor.EndWatch {
        private final PartitionLog log;
        private final @Nullable Cursor cursor;
        private final TransactionQuestion question;
        private final Participant name;
        private final ProducerIdentity producer;
        private final Object transaction;
        private final BooleanSupplier coordinator;
        private PartitionTransactions.@Nullable Verification asked;
        private boolean ended;

        Verification(
                PartitionLog log,
                @Nullable Cursor cursor,
                TransactionQuestion question,
                Object transaction,
                BooleanSupplier coordinator) {
            this.log = log;
            this.cursor = cursor;
            this.question = question;
            this.name = question.partition();
            this.producer = question.producer();
            this.transaction = transaction;
            this.coordinator = coordinator;
        }

        void ask() {
            ended = false;
            if (cursor != null) {
                cursor.watch(this);
            } else {
                asked = log.transactions().verify(producer.id(), producer.epoch());
            }
            LoopQuestion.<Boolean>ask(
                    log.container(), answer -> PartitionsOnContainers.this.ask(question, coordinator, answer), this);
        }

        /** The container has not begun another term, and the subscription was not made anew. */
        private boolean isThere() {
            return log == log(name.partition())
                    && (cursor == null || cursor == log.subscriptions().find(SUBSCRIPTION));
        }

        @Override
        public long transaction() {
            return producer.id();
        }

        @Override
        public void ended() {
            ended = true;
        }

        @Override
        public void answered(Boolean verified) {
            if (cursor != null) {
                cursor.unwatch(this);
            }
            if (!verified) {
                return;
            }
            boolean outdated = asked == null ? ended : !log.transactions().verified(asked);
            if (outdated && !trustsAnswers) {
                ask();
            } else if (isThere()) {
                append(name, producer, transaction);
            }
        }

        @Override
        public void abandoned(StoreFailure why) {}
    }

    private static ByteBuf entry(ProducerIdentity producer) {
        if (ProducerIds.isSingle(producer.id())) {
            return TestEntries.pulsarIn(producer.id(), EntryHeader.NO_PRODUCER, 1, 1, 10, 1_000_000);
        }
        ByteBuf entry = TestEntries.kafka(producer.id(), producer.epoch(), -1, 1, 10, 1_000_000);
        return entry.setShort(EntryHeader.CRC_FROM, EntryHeader.TRANSACTIONAL);
    }

    private void acknowledge(int p, long id, Object transaction) {
        Cursor cursor = log(p).subscriptions().find(SUBSCRIPTION);
        if (cursor == null) {
            return;
        }
        long offset = random.nextInt(100);
        SegmentContainer container = log(p).container();
        Acked acked = new Acked(transaction);
        Durable synced = Durable.of(() -> acked.synced = true, why -> {});
        Durable noted = Durable.of(() -> container.whenSynced(synced), why -> {});
        if (cursor.ackIn(TransactionalAck.of(id, List.of(new Range(offset, offset, false))), noted) == null) {
            acknowledged.get(p).put(offset, acked);
        }
    }

    @Override
    public boolean hasWork() {
        return underWay > 0 || !answers.isEmpty();
    }

    @Override
    public void step() {
        int what = calm ? Integer.MAX_VALUE : random.nextInt(300);
        if (what < 2) {
            restart(random.nextInt(CONTAINERS));
        } else if (what < 4) {
            deleteSubscription(random.nextInt(PARTITIONS));
        }
        if (!answers.isEmpty() && random.nextBoolean()) {
            answers.arrive();
        }
        containers.doWork();
    }

    /** And makes it anew, all with nothing acknowledged. */
    private void deleteSubscription(int p) {
        log(p).subscriptions().delete(SUBSCRIPTION, Durable.IGNORED);
        acknowledged.get(p).clear();
        if (random.nextBoolean()) {
            log(p).subscriptions().create(SUBSCRIPTION, 0, Map.of(), Durable.IGNORED);
        }
    }

    void restart(int container) {
        if (random.nextBoolean()) {
            containers.crashMachine(container);
        } else {
            containers.restartKeepingTail(container);
        }
        for (int p = container; p < PARTITIONS; p += CONTAINERS) {
            long end = log(p).sequencedEnd();
            data.get(p).removeIf(each -> each.offset >= end);
            acknowledged.get(p).values().removeIf(each -> !each.synced);
        }
    }

    @Override
    public void crash() {
        for (int c = 0; c < CONTAINERS; c++) {
            if (random.nextInt(3) > 0) {
                restart(c);
            }
        }
    }

    @Override
    public void calm() {
        calm = true;
    }

    @Override
    public List<Written> records() {
        List<Written> all = new ArrayList<>();
        for (int p = 0; p < PARTITIONS; p++) {
            PartitionLog log = log(p);
            data.get(p).forEach(each -> all.add(new Written(each.transaction, outcome(log, each))));
            Cursor cursor = log.subscriptions().find(SUBSCRIPTION);
            if (cursor != null) {
                acknowledged.get(p).forEach((offset, of) -> {
                    boolean pending = cursor.isTaken(offset) && !cursor.isAcked(offset);
                    all.add(new Written(of.transaction, pending ? null : cursor.isAcked(offset)));
                });
            }
        }
        return all;
    }

    @Override
    public void checkSettled() {
        for (int p = 0; p < PARTITIONS; p++) {
            if (log(p).readableEnd(Isolation.COMMITTED) < log(p).durableEnd()) {
                throw new AssertionError("readers of what is committed stand still in partition " + p);
            }
        }
    }

    private static @Nullable Boolean outcome(PartitionLog log, Data of) {
        long openFrom = log.transactions().openFrom(of.producer);
        if (openFrom >= 0 && openFrom <= of.offset) {
            return null;
        }
        return log.transactions().abortedIn(of.offset, of.offset + 1).stream()
                .noneMatch(aborted -> aborted.producerId() == of.producer);
    }

    private record Ignoring() implements AppendReply {
        @Override
        public void appended(long baseOffset, long lastOffset) {}

        @Override
        public void duplicate(long baseOffset, long lastOffset) {}

        @Override
        public void rejected(AppendRejection why) {}

        @Override
        public void failed(StoreFailure why) {}
    }
}
