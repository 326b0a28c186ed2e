package io.sluice.pulsar.admin;

import static io.sluice.broker.access.Operation.READ;
import static io.sluice.pulsar.admin.AdminAnswers.await;

import io.sluice.broker.log.PartitionLog;
import io.sluice.broker.log.SubscriptionStart;
import io.sluice.broker.subscription.Cursor;
import io.sluice.pulsar.dispatch.EntryReader.Run;
import io.sluice.pulsar.dispatch.EntryReader.Seen;
import io.sluice.pulsar.hub.ExpireMessages;
import java.util.Date;
import java.util.List;
import org.apache.pulsar.common.policies.data.PersistentOfflineTopicStats;
import org.apache.pulsar.common.stats.AnalyzeSubscriptionBacklogResult;
import org.jspecify.annotations.Nullable;

/** Backlogs of subscriptions: how much they have before them, what it consists of, and up to where it is dropped. */
final class BacklogRoutes {
    private static final String TOPIC = "/admin/v2/persistent/:tenant/:namespace/:topic";
    private static final String SUBSCRIPTION = TOPIC + "/subscription/:subscription";

    /** As many entries as Pulsar looks through for one answer. */
    private static final int MOST_ENTRIES = 10_000;

    private final AdminTopics topics;

    BacklogRoutes(AdminTopics topics) {
        this.topics = topics;
    }

    void add(Routes routes) {
        var read = routes.topic(READ);
        read.get(TOPIC + "/backlog", this::backlog);
        read.put(TOPIC + "/backlogSize", this::backlogSize);
        read.post(SUBSCRIPTION + "/analyzeBacklog", this::analyze);
        read.post(SUBSCRIPTION + "/expireMessages", this::expire);
    }

    private Object backlog(TopicRequest r) throws AdminException {
        AdminTopics.Part part = topics.part(r);
        PartitionLog log = part.log();
        return await(log.container().ask(() -> {
            var stats = new PersistentOfflineTopicStats(part.name(), topics.brokerId());
            long messages = log.durableEnd() - log.startOffset();
            stats.storageSize = log.sizeBytes();
            stats.totalMessages = messages;
            stats.statGeneratedAt = new Date(log.container().now());
            stats.addLedgerDetails(
                    messages, Math.max(0, log.latestTimestamp().timestamp()), log.sizeBytes(), log.ledgerAt(0));
            for (Cursor cursor : log.subscriptions().all()) {
                long left = left(log, cursor);
                stats.messageBacklog = Math.max(stats.messageBacklog, left);
                stats.addCursorDetails(cursor.name(), left, -1);
            }
            return stats;
        }));
    }

    private static long left(PartitionLog log, Cursor cursor) {
        long from = Math.max(cursor.ackedBelow(), log.startOffset());
        long end = log.durableEnd();
        return end <= from ? 0 : end - from - cursor.countAcked(from, end - 1);
    }

    /** Bytes from a message on. */
    private Object backlogSize(TopicRequest r) throws AdminException {
        NamedMessage message = NamedMessage.of(r);
        AdminTopics.Part part = topics.part(r, 405);
        PartitionLog log = part.log();
        return await(log.container().ask(() -> {
            long offset = message.start().applyAsLong(log);
            return offset <= log.startOffset() ? log.sizeBytes() : log.bytesAfter(offset);
        }));
    }

    /** From the first message that is not acknowledged on, or from one that is named. */
    private Object analyze(TopicRequest r) throws AdminException {
        AdminTopics.Part part = topics.part(r, 405);
        PartitionLog log = part.log();
        var analysis = new Analysis(log, r.get("subscription"));
        SubscriptionStart start = r.body().isBlank() || r.json().isEmpty()
                ? null
                : NamedMessage.of(r).start();
        long at = await(log.container().ask(() -> {
            Cursor cursor = log.subscriptions().find(analysis.subscription);
            if (cursor == null) {
                throw SubscriptionRoutes.notFound(part, analysis.subscription);
            }
            return start != null
                    ? start.applyAsLong(log)
                    : cursor.nextUnacked(Math.max(cursor.ackedBelow(), log.startOffset()));
        }));
        EntryWalk walk = new EntryWalk(topics.services().reader(), log);
        while (true) {
            Run run = walk.from(at);
            boolean over = await(log.container().ask(() -> analysis.see(run.entries())));
            if (over || run.next() <= at) {
                return analysis.result;
            }
            at = run.next();
        }
    }

    /** Counts what a subscription would get. */
    private static final class Analysis {
        private final PartitionLog log;
        private final String subscription;
        private final AnalyzeSubscriptionBacklogResult result = new AnalyzeSubscriptionBacklogResult();

        Analysis(PartitionLog log, String subscription) {
            this.log = log;
            this.subscription = subscription;
        }

        /** On the loop. True if it saw enough. */
        boolean see(List<Seen> entries) {
            Cursor cursor = log.subscriptions().find(subscription);
            for (Seen entry : entries) {
                if (cursor == null || result.getEntries() >= MOST_ENTRIES) {
                    result.setAborted(true);
                    return true;
                }
                see(entry, cursor.countAcked(entry.base(), entry.base() + entry.offsets() - 1));
            }
            return false;
        }

        private void see(Seen entry, long acked) {
            long left = entry.offsets() - acked;
            if (left > 0) {
                result.setEntries(result.getEntries() + 1);
                result.setMessages(result.getMessages() + left);
                result.setFilterAcceptedEntries(result.getEntries());
                result.setFilterAcceptedMessages(result.getMessages());
            }
            String id = log.ledgerAt(entry.base()) + ":" + entry.base();
            if (result.getFirstMessageId() == null) {
                result.setFirstMessageId(id);
            }
            result.setLastMessageId(id);
        }
    }

    private @Nullable Object expire(TopicRequest r) throws AdminException {
        NamedMessage message = NamedMessage.of(r);
        AdminTopics.Part part = topics.part(r, 405);
        PartitionLog log = part.log();
        String name = r.get("subscription");
        long end = message.offset(log, !message.excluded());
        if (!await(ExpireMessages.before(topics.services().hubs(), log, name, end))) {
            throw SubscriptionRoutes.notFound(part, name);
        }
        return null;
    }
}
