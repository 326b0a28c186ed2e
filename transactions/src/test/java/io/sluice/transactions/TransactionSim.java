package io.sluice.transactions;

import io.sluice.transactions.SimulatedPartitions.Written;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

/**
 * A seeded world of one shard, its log, four partitions, six producers and three clients of single transactions, with crashes between any
 * two steps. The partitions are real ones, or only keep their rules, which is faster. At its end all is settled and looked at: each transaction has one outcome in all partitions, and the one that its producer was told.
 */
final class TransactionSim {
    enum Bug {
        NONE,
        ANSWERS_BEFORE_DURABLE,
        COMPLETES_BEFORE_MARKED,
        REFUSED_COMES_LATER,
        COMPLETES_BEFORE_SYNCED,
        TRUSTS_AN_ANSWER_FROM_BEFORE_THE_END
    }

    private static final TransactionRoom ROOM = new TransactionRoom(TransactionSettings.DEFAULT, 1, List::of, () -> 0);

    private final Random random;
    private final SimulatedLog log;
    private final SimulatedPartitions partitions;
    private final List<SimulatedClient> producers;
    private final SimulatedProducer.LongIds ids = new SimulatedProducer.LongIds();
    private long now = 1_000_000;
    private int term;
    private TransactionShard shard;

    TransactionSim(long seed, Bug bug, boolean withContainers) {
        random = new Random(seed);
        log = new SimulatedLog(random, bug);
        partitions = withContainers
                ? new PartitionsOnContainers(random, bug)
                : new RuleBasedPartitions(random, bug == Bug.COMPLETES_BEFORE_MARKED);
        producers = SimulatedProducer.some(random, partitions);
        shard = begin();
    }

    private TransactionShard begin() {
        TransactionShard begun = new TransactionShard(log, partitions, () -> now, ++term, ROOM);
        log.loadInto(begun);
        begun.begin();
        return begun;
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
            shard.retry();
            shard.endWaits();
            shard.abortOverdue();
            shard.singles().forgetEnded();
        } else if (choice == 98 && random.nextInt(3) == 0) {
            fail();
        } else if (choice == 99 && random.nextInt(20) == 0) {
            now += 70_000;
            shard.abortOverdue();
        }
    }

    private void fail() {
        if (random.nextBoolean()) {
            log.crash();
        } else {
            log.loseTerm();
        }
        shard.close();
        partitions.crash();
        producers.forEach(SimulatedClient::disconnected);
        shard = begin();
    }

    /** Producers go away, and everything that was open ends. */
    private void settle() {
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
