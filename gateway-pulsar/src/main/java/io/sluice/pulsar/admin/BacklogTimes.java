package io.sluice.pulsar.admin;

import static io.sluice.pulsar.admin.AdminAnswers.await;

import io.sluice.broker.group.TopicGroup;
import io.sluice.broker.log.Isolation;
import io.sluice.broker.log.PartitionLog;
import io.sluice.broker.subscription.Cursor;
import io.sluice.pulsar.dispatch.SubscriptionView;
import io.sluice.pulsar.hub.Backlog;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.apache.pulsar.common.policies.data.stats.SubscriptionStatsImpl;
import org.apache.pulsar.common.policies.data.stats.TopicStatsImpl;

/**
 * When the first message of each backlog was published. It is read for that, on the request's thread: one entry after another, and each once, however
 * many subscriptions are there. A request that takes too long is ended.
 */
final class BacklogTimes {
    /** As Pulsar says that a backlog is empty. */
    private static final long EMPTY = -1;

    private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(20);

    private final AdminTopics topics;
    private final AdminTopics.Part part;
    private final PartitionLog log;
    private final Map<Long, Long> byOffset = new HashMap<>();
    private final long begun = System.nanoTime();

    BacklogTimes(AdminTopics topics, AdminTopics.Part part) {
        this.topics = topics;
        this.part = part;
        this.log = part.log();
    }

    /** @param slowest offset of the first message that not all subscriptions have acknowledged; {@link #EMPTY} for none */
    private record Beginnings(Map<String, Long> bySubscription, long slowest) {}

    void fill(TopicStatsImpl stats, List<TopicGroup> ofKafka) throws AdminException {
        Beginnings beginnings = await(log.container().ask(() -> beginnings(ofKafka)));
        for (var each : stats.getSubscriptions().entrySet()) {
            if (each.getValue() instanceof SubscriptionStatsImpl s) {
                s.earliestMsgPublishTimeInBacklog =
                        s.msgBacklog > 0 ? at(beginnings.bySubscription.getOrDefault(each.getKey(), EMPTY)) : EMPTY;
            }
        }
        if (stats.backlogSize != 0) {
            stats.earliestMsgPublishTimeInBacklogs = at(beginnings.slowest);
        }
    }

    /** On the partition's loop. */
    private Beginnings beginnings(List<TopicGroup> ofKafka) {
        Map<String, Long> all = new HashMap<>();
        for (TopicGroup group : ofKafka) {
            all.put(GroupName.of(group), unlessAtEnd(KafkaGroups.position(part, group)));
        }
        for (SubscriptionView s : topics.view(part).subscriptions()) {
            all.put(s.name(), unlessAtEnd(Math.max(s.ackedBelow(), log.startOffset())));
        }
        long slowest = EMPTY;
        for (Cursor c : log.subscriptions().all()) {
            long first = unlessAtEnd(c.nextUnacked(Math.max(c.ackedBelow(), log.startOffset())));
            all.put(c.name(), first);
            slowest = slowest == EMPTY || first != EMPTY && first < slowest ? first : slowest;
        }
        return new Beginnings(all, slowest);
    }

    private long unlessAtEnd(long offset) {
        return offset < log.readableEnd(Isolation.COMMITTED) ? offset : EMPTY;
    }

    private long at(long offset) throws AdminException {
        if (offset == EMPTY) {
            return EMPTY;
        }
        Long known = byOffset.get(offset);
        if (known != null) {
            return known;
        }
        if (System.nanoTime() - begun > PATIENCE_NANOS) {
            throw new AdminException(503, "the topic has too many subscriptions to read the first message of each");
        }
        long read = await(log.container().<Long>ask(answer -> Backlog.findTime(log, offset, answer::complete)));
        byOffset.put(offset, read);
        return read;
    }
}
