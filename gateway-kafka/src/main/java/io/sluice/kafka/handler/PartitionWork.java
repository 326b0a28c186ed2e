package io.sluice.kafka.handler;

import io.sluice.broker.log.PartitionLog;
import io.sluice.broker.topic.Topic;
import io.sluice.kafka.api.Backend;
import io.sluice.kafka.api.ErrorMapping;
import io.sluice.kafka.api.TopicLookup;
import io.sluice.store.segment.LoopTask;
import io.sluice.store.segment.SegmentContainer;
import io.sluice.store.segment.StoreFailure;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.common.protocol.Errors;

/**
 * Something to ask of many partitions: one hop per container, and a word when all have answered. For the APIs that are
 * not on the hot path.
 */
final class PartitionWork {
    private final Backend backend;
    private final Runnable allDone;
    private final List<OfContainer> containers = new ArrayList<>();
    private final AtomicInteger open = new AtomicInteger(1);

    /** @param allDone runs once, on the thread of whoever is last */
    PartitionWork(Backend backend, Runnable allDone) {
        this.backend = backend;
        this.allDone = allDone;
    }

    /** One partition's part. Exactly one of {@code ask} and {@code fail} is called. */
    interface Question {
        /** On the container's loop; {@code done} runs when the partition has answered, now or later. */
        void ask(PartitionLog log, Runnable done);

        void fail(Errors error);
    }

    void add(TopicLookup lookup, int partition, Question question) {
        switch (lookup) {
            case TopicLookup.Found(Topic topic) -> add(topic, partition, question);
            case TopicLookup.Refused refused -> question.fail(refused.error());
        }
    }

    void add(Topic topic, int partition, Question question) {
        PartitionLog log = backend.log(topic, partition);
        if (log != null) {
            open.incrementAndGet();
            of(log.container()).add(log, question);
        } else if (Backend.hasPartition(topic, partition)) {
            question.fail(Errors.NOT_LEADER_OR_FOLLOWER);
        } else {
            question.fail(Errors.UNKNOWN_TOPIC_OR_PARTITION);
        }
    }

    void start() {
        for (OfContainer each : containers) {
            each.container.execute(each);
        }
        done();
    }

    private void done() {
        if (open.decrementAndGet() == 0) {
            allDone.run();
        }
    }

    private OfContainer of(SegmentContainer container) {
        for (OfContainer each : containers) {
            if (each.container == container) {
                return each;
            }
        }
        OfContainer made = new OfContainer(container);
        containers.add(made);
        return made;
    }

    private record Asked(PartitionLog log, Question question) {}

    private final class OfContainer implements LoopTask {
        private final SegmentContainer container;
        private final List<Asked> all = new ArrayList<>();

        OfContainer(SegmentContainer container) {
            this.container = container;
        }

        void add(PartitionLog log, Question question) {
            all.add(new Asked(log, question));
        }

        @Override
        public void run() {
            for (Asked each : all) {
                if (each.log.isGone()) {
                    each.question.fail(Errors.NOT_LEADER_OR_FOLLOWER);
                    done();
                } else {
                    each.question.ask(each.log, PartitionWork.this::done);
                }
            }
        }

        @Override
        public void abandoned(StoreFailure why) {
            for (Asked each : all) {
                each.question.fail(ErrorMapping.toConsumer(why));
                done();
            }
        }
    }

    /** Kafka's check of the epoch a client believes in; NONE if it may go on. */
    static Errors checkEpoch(PartitionLog log, int clientEpoch) {
        if (clientEpoch < 0 || clientEpoch == log.leaderEpoch()) {
            return Errors.NONE;
        }
        return clientEpoch < log.leaderEpoch() ? Errors.FENCED_LEADER_EPOCH : Errors.UNKNOWN_LEADER_EPOCH;
    }
}
