package io.sluice.pulsar.admin;

import static io.sluice.pulsar.admin.AdminAnswers.await;

import io.sluice.broker.access.Operation;
import io.sluice.broker.log.Isolation;
import io.sluice.broker.log.PartitionLog;
import io.sluice.broker.subscription.Cursor;
import io.sluice.pulsar.dispatch.CompactedReads;
import io.sluice.store.segment.Durable;
import org.jspecify.annotations.Nullable;

/**
 * {@code DELETE .../:topic/truncate}: everything there is goes, and all subscriptions are at the end; of a partitioned topic in every
 * partition. What compaction has left of it goes, too, which Pulsar keeps. What transactions that are open have written stays, and all
 * behind it.
 */
final class TruncateRoute {
    private final AdminTopics topics;

    TruncateRoute(AdminTopics topics) {
        this.topics = topics;
    }

    void add(Routes routes) {
        routes.topic(Operation.DELETE)
                .delete("/admin/v2/persistent/:tenant/:namespace/:topic/truncate", this::truncate);
    }

    private @Nullable Object truncate(TopicRequest r) throws AdminException {
        topics.each(r, TruncateRoute::truncate, OtherNode::same);
        return null;
    }

    private static String truncate(AdminTopics.Part part) throws AdminException {
        if (part.topic().internal()) {
            throw new AdminException(412, "Topic " + part.name() + " is the server's own");
        }
        await(part.log().container().<Boolean>ask(answer -> truncate(part.log(), answer.onceDurable(true))));
        return Routes.NOTHING;
    }

    /** The view goes before the data: a compaction that runs must not put back what it has read. */
    private static void truncate(PartitionLog log, Durable done) {
        long end = log.readableEnd(Isolation.COMMITTED);
        for (Cursor cursor : log.subscriptions().all()) {
            cursor.ackUpTo(end - 1, Durable.IGNORED);
        }
        if (log.view().horizon() > 0 || log.subscriptions().find(CompactedReads.SUBSCRIPTION) != null) {
            log.view().drop(Durable.IGNORED);
        }
        log.retention().deleteBefore(end, done);
    }
}
