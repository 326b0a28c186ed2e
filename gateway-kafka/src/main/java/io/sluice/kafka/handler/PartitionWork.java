package io.sluice.kafka.handler;

import io.sluice.broker.log.PartitionLog;
import io.sluice.broker.topic.Topic;
import io.sluice.kafka.api.KafkaErrors;
import io.sluice.kafka.api.KafkaServices;
import io.sluice.kafka.api.TopicLookup;
import io.sluice.store.segment.LoopTask;
import io.sluice.store.segment.SegmentContainer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.common.protocol.Errors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Something to ask of many partitions: one hop per container, and a word when all have answered. For the APIs that are
 * not on the hot path.
 */
final class PartitionWork {
    private static final Logger LOG = LoggerFactory.getLogger(PartitionWork.class);

    private final KafkaServices services;
    private final Runnable allDone;
    private final Map<SegmentContainer, List<Asked>> byContainer = new LinkedHashMap<>();
    private final AtomicInteger open = new AtomicInteger(1);

    /** @param allDone runs once, on the thread that is last */
    PartitionWork(KafkaServices services, Runnable allDone) {
        this.services = services;
        this.allDone = allDone;
    }

    /** One partition's part. One of {@code ask} and {@code fail} is called; both if {@code ask} throws. */
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
        PartitionLog log = services.log(topic, partition);
        if (log != null) {
            open.incrementAndGet();
            byContainer
                    .computeIfAbsent(log.container(), none -> new ArrayList<>())
                    .add(new Asked(log, question));
        } else if (KafkaServices.hasPartition(topic, partition)) {
            question.fail(Errors.NOT_LEADER_OR_FOLLOWER);
        } else {
            question.fail(Errors.UNKNOWN_TOPIC_OR_PARTITION);
        }
    }

    void start() {
        byContainer.forEach((container, all) -> container.execute(LoopTask.of(
                () -> all.forEach(Asked::ask), why -> all.forEach(each -> each.fail(KafkaErrors.toConsumer(why))))));
        done();
    }

    private void done() {
        if (open.decrementAndGet() == 0) {
            allDone.run();
        }
    }

    /** On the loop, but for a container that has stopped. */
    private final class Asked {
        private final PartitionLog log;
        private final Question question;
        private boolean answered;

        Asked(PartitionLog log, Question question) {
            this.log = log;
            this.question = question;
        }

        void ask() {
            if (log.isGone()) {
                fail(Errors.NOT_LEADER_OR_FOLLOWER);
                return;
            }
            try {
                question.ask(log, this::answered);
            } catch (RuntimeException e) {
                // the request, and its connection, would wait for ever
                LOG.error("A question to partition {} failed", log.partitionId(), e);
                fail(Errors.UNKNOWN_SERVER_ERROR);
            }
        }

        void fail(Errors error) {
            if (!answered) {
                question.fail(error);
                answered();
            }
        }

        private void answered() {
            if (!answered) {
                answered = true;
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
