package io.sluice.transactions;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Partitions by the rules of a partition's log, without one. Markers take their time, and may be lost. */
final class RuleBasedPartitions implements SimulatedPartitions {
    private final Random random;
    private final boolean forgetsMarkers;
    private final Map<Participant, Partition> partitions = new HashMap<>();
    private final List<Runnable> underWay = new ArrayList<>();
    private final LateAnswers answers;

    private static final class Partition {
        private final List<Data> records = new ArrayList<>();
        private final Map<Long, Short> epochs = new HashMap<>();
        private final Map<Long, Integer> coordinatorEpochs = new HashMap<>();
        private final Map<Long, Integer> ends = new HashMap<>();
    }

    private static final class Data {
        private final ProducerIdentity producer;
        private final Object transaction;
        private @Nullable Boolean committed;

        Data(ProducerIdentity producer, Object transaction) {
            this.producer = producer;
            this.transaction = transaction;
        }
    }

    /** @param forgetsMarkers the planted bug: says that a marker is written before it is */
    RuleBasedPartitions(Random random, boolean forgetsMarkers) {
        this.random = random;
        this.answers = new LateAnswers(random);
        this.forgetsMarkers = forgetsMarkers;
    }

    @Override
    public void write(Participant partition, Marker marker, Consumer<Fate> done) {
        if (forgetsMarkers) {
            underWay.add(() -> apply(partition, marker));
            done.accept(Fate.WRITTEN);
            return;
        }
        underWay.add(() -> {
            boolean applied = random.nextInt(10) > 0;
            boolean known = random.nextInt(10) > 0;
            if (applied) {
                apply(partition, marker);
            }
            done.accept(applied && known ? Fate.WRITTEN : Fate.UNKNOWN);
        });
    }

    private void apply(Participant name, Marker marker) {
        Partition partition = partitions.computeIfAbsent(name, p -> new Partition());
        long id = marker.producer().id();
        short epoch = marker.producer().epoch();
        if (partition.epochs.getOrDefault(id, (short) -1) > epoch
                || partition.coordinatorEpochs.getOrDefault(id, -1) > marker.coordinatorEpoch()) {
            return;
        }
        partition.epochs.put(id, epoch);
        partition.ends.merge(id, 1, Integer::sum);
        partition.coordinatorEpochs.put(id, marker.coordinatorEpoch());
        for (Data record : partition.records) {
            if (record.producer.id() == id && record.committed == null) {
                record.committed = marker.commit();
            }
        }
    }

    @Override
    public Participant some() {
        return new Participant("t", random.nextInt(4));
    }

    @Override
    public void append(Participant name, ProducerIdentity producer, Object transaction) {
        Partition partition = partitions.computeIfAbsent(name, p -> new Partition());
        if (partition.epochs.getOrDefault(producer.id(), (short) -1) <= producer.epoch()) {
            partition.epochs.put(producer.id(), producer.epoch());
            partition.records.add(new Data(producer, transaction));
        }
    }

    @Override
    public void verifyAndAppend(TransactionQuestion question, Object transaction, BooleanSupplier coordinator) {
        Participant name = question.partition();
        ProducerIdentity producer = question.producer();
        Partition partition = partitions.computeIfAbsent(name, p -> new Partition());
        int ends = partition.ends.getOrDefault(producer.id(), 0);
        boolean verified = coordinator.getAsBoolean();
        answers.give(() -> {
            if (verified && partition.ends.getOrDefault(producer.id(), 0) == ends) {
                append(name, producer, transaction);
            } else if (verified) {
                verifyAndAppend(question, transaction, coordinator);
            }
        });
    }

    @Override
    public boolean hasWork() {
        return !underWay.isEmpty() || !answers.isEmpty();
    }

    @Override
    public void step() {
        if (underWay.isEmpty() || !answers.isEmpty() && random.nextBoolean()) {
            answers.arrive();
            return;
        }
        underWay.remove(random.nextInt(underWay.size())).run();
    }

    /** Markers that were under way are in their partitions or not. */
    @Override
    public void crash() {
        List<Runnable> all = List.copyOf(underWay);
        underWay.clear();
        if (!forgetsMarkers) {
            all.stream().filter(each -> random.nextBoolean()).forEach(Runnable::run);
            underWay.clear();
        }
    }

    @Override
    public List<Written> records() {
        return partitions.values().stream()
                .flatMap(partition -> partition.records.stream())
                .map(data -> new Written(data.transaction, data.committed))
                .toList();
    }
}
