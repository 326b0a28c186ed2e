package io.sluice.transactions;

import io.sluice.transactions.SimulatedPartitions.Written;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/**
 * A seeded world of one shard, its log, four partitions, six producers and three clients of single transactions, with crashes between any
 * two steps. At its end all is settled and looked at: each transaction has one outcome in all partitions, and the one that its producer was
 * told.
 */
final class TransactionSim {
    enum Bug {
        NONE,
        ANSWERS_BEFORE_DURABLE,
        COMPLETES_BEFORE_MARKED,
        REFUSED_COMES_LATER,
        COMPLETES_BEFORE_SYNCED,
        TRUSTS_AN_ANSWER_FROM_BEFORE_THE_END,
        VERIFIES_WITHOUT_ITS_LEASE,
        TAKES_MARKERS_OF_EARLIER_COORDINATORS,
        TAKES_MARKERS_THAT_WERE_GIVEN_UP,
        FORGETS_OWNERS
    }

    /** Kind of the partitions. */
    enum World {
        /** They only keep their rules, which is faster. */
        RULES,
        /** Real ones. */
        CONTAINERS,
        /** Real ones at three nodes, at one of which the coordinator is; their network loses, doubles and delays. */
        NODES
    }

    private static final TransactionRoom ROOM = new TransactionRoom(TransactionSettings.DEFAULT, 1, List::of, () -> 0);

    private final Random random;
    private final SimulatedLog log;
    private final SimulatedPartitions partitions;
    private final List<SimulatedClient> producers;
    private final SimulatedProducer.LongIds ids = new SimulatedProducer.LongIds();
    private long now = 1_000_000;
    private int term;
    private final World world;
    private SimulatedCoordinator coordinator;
    private TransactionShard shard;

    /** Has lost its lease and does not know; null if there is none. */
    private @Nullable SimulatedCoordinator earlier;

    private Runnable tellingEarlier = () -> {};

    TransactionSim(long seed, Bug bug, World world) {
        this.world = world;
        random = new Random(seed);
        log = new SimulatedLog(random, bug);
        partitions = switch (world) {
            case RULES -> new RuleBasedPartitions(random, bug == Bug.COMPLETES_BEFORE_MARKED);
            case CONTAINERS -> new PartitionsOnContainers(random, bug);
            case NODES -> new PartitionsOnNodes(random, bug);
        };
        producers = SimulatedProducer.some(random, partitions);
        coordinator = begin();
        shard = coordinator.shard();
    }

    private SimulatedCoordinator begin() {
        SimulatedCoordinator next = new SimulatedCoordinator(++term);
        Markers markers = partitions.coordinatedBy(next);
        TransactionShard begun = new TransactionShard(log.ofTerm(term), markers, () -> now, term, ROOM);
        next.begin(begun);
        log.loadInto(begun);
        begun.begin();
        return next;
    }

    /** @return transactions that were committed, of those with records */
    int run(int steps) {
        for (int i = 0; i < steps; i++) {
            step();
        }
        settle();
        return check();
    }

    private void step() {
        now += random.nextInt(20);
        int choice = random.nextInt(100);
        if (choice < 40) {
            producers.get(random.nextInt(producers.size())).step(shard, ids);
        } else if (choice < 68 && log.hasWork()) {
            log.makeDurable();
        } else if (choice < 92 && partitions.hasWork()) {
            partitions.step();
        } else if (choice >= 92 && choice < 98) {
            SimulatedCoordinator older = earlier;
            if (older != null && random.nextBoolean()) {
                older.shard().retry();
                older.shard().abortOverdue();
                return;
            }
            shard.retry();
            shard.endWaits();
            shard.abortOverdue();
            shard.singles().forgetEnded();
        } else if (choice == 98 && random.nextInt(3) == 0) {
            fail();
        } else if (choice == 98 && random.nextInt(6) == 0) {
            tellEarlier();
        } else if (choice == 99 && random.nextInt(20) == 0) {
            abortAll();
        }
    }

    private void fail() {
        tellEarlier();
        int how = random.nextInt(world == World.NODES ? 4 : 2);
        if (how == 0) {
            log.crash();
        } else if (how == 1) {
            log.loseTerm();
        } else {
            earlier = coordinator;
            tellingEarlier = log.loseLease();
            coordinator.loseLease();
        }
        if (how < 2) {
            shard.close();
            partitions.crash();
        }
        producers.forEach(SimulatedClient::disconnected);
        coordinator = begin();
        shard = coordinator.shard();
        if (earlier != null && random.nextBoolean()) {
            abortAll();
        }
    }

    /** Those that are open have been for too long. */
    private void abortAll() {
        now += 70_000;
        shard.abortOverdue();
    }

    private void tellEarlier() {
        SimulatedCoordinator told = earlier;
        if (told != null) {
            earlier = null;
            tellingEarlier.run();
            told.shard().close();
        }
    }

    /** Producers go away, and everything that was open ends. */
    private void settle() {
        tellEarlier();
        producers.forEach(SimulatedClient::disconnected);
        partitions.calm();
        for (int i = 0; i < 200; i++) {
            now += 70_000;
            shard.retry();
            shard.abortOverdue();
            shard.singles().forgetEnded();
            while (log.hasWork() || partitions.hasWork()) {
                if (log.hasWork()) {
                    log.makeDurable();
                } else {
                    partitions.step();
                }
            }
        }
    }

    private int check() {
        Map<Object, Boolean> outcomes = new HashMap<>();
        for (Written record : partitions.records()) {
            Boolean outcome = record.committed();
            if (outcome == null) {
                throw new AssertionError("a transaction was never ended in one of its partitions");
            }
            Boolean elsewhere = outcomes.putIfAbsent(record.transaction(), outcome);
            if (elsewhere != null && !elsewhere.equals(outcome)) {
                throw new AssertionError("a transaction was committed in one partition and aborted in another");
            }
        }
        outcomes.forEach((transaction, outcome) -> {
            Boolean told = ((SimulatedProducer.Attempt) transaction).answered();
            if (told != null && !told.equals(outcome)) {
                throw new AssertionError("a producer was told " + told + ", its transaction's outcome is " + outcome);
            }
        });
        for (TransactionDescription id : shard.all()) {
            if (id.state().startsWith("Prepare") || id.state().equals("Ongoing")) {
                throw new AssertionError("a transaction never ends: " + id);
            }
        }
        partitions.checkSettled();
        return (int) outcomes.values().stream().filter(committed -> committed).count();
    }
}
