package io.sluice.pulsar.admin;

import static io.sluice.broker.access.Operation.READ;
import static io.sluice.pulsar.admin.AdminAnswers.await;

import io.sluice.broker.log.PartitionLog;
import io.sluice.broker.subscription.Cursor;
import io.sluice.pulsar.dispatch.EntryReader;
import io.sluice.pulsar.dispatch.EntryReader.Run;
import io.sluice.pulsar.dispatch.EntryReader.Seen;
import io.sluice.store.segment.Answer;
import io.sluice.store.segment.StoreFailure;
import io.vertx.core.json.JsonObject;
import java.util.List;

/**
 * Messages of a topic as people look at them: the next ones of a subscription, the first and the last, one by its id; and ids by time and by
 * offset. What is shown is what consumers get: committed messages, those of Kafka clients as Pulsar's.
 */
final class MessageRoutes {
    private static final String TOPIC = "/admin/v2/persistent/:tenant/:namespace/:topic";

    private final AdminTopics topics;
    private final EntryReader reader;

    MessageRoutes(AdminTopics topics) {
        this.topics = topics;
        this.reader = topics.services().reader();
    }

    void add(Routes routes) {
        var read = routes.topic(READ);
        read.get(TOPIC + "/subscription/:subscription/position/:position", this::peek);
        read.get(TOPIC + "/examinemessage", this::examine);
        read.get(TOPIC + "/ledger/:ledger/entry/:entry", this::byId);
        read.get(TOPIC + "/messageid/:timestamp", this::idByTime);
        read.get(TOPIC + "/getMessageIdByIndex", this::idByIndex);
    }

    /** Offset from which on a subscription has entries that are not acknowledged. */
    private long firstUnacked(AdminTopics.Part part, String name) throws AdminException {
        PartitionLog log = part.log();
        return await(log.container().ask(() -> {
            Cursor cursor = log.subscriptions().find(name);
            if (cursor != null) {
                return cursor.nextUnacked(Math.max(cursor.ackedBelow(), log.startOffset()));
            }
            return topics.view(part).subscriptions().stream()
                    .filter(s -> s.name().equals(name))
                    .findFirst()
                    .map(s -> Math.max(s.ackedBelow(), log.startOffset()))
                    .orElseThrow(() -> SubscriptionRoutes.notFound(part, name));
        }));
    }

    /** Entries of a run of which the subscription has not acknowledged everything. */
    private List<Seen> unacked(PartitionLog log, String name, List<Seen> run) throws AdminException {
        return await(log.container().ask(() -> {
            Cursor cursor = log.subscriptions().find(name);
            return cursor == null
                    ? run
                    : run.stream()
                            .filter(e -> cursor.countAcked(e.base(), e.base() + e.offsets() - 1) < e.offsets())
                            .toList();
        }));
    }

    /** The entry at a place among those that are not acknowledged; the first has the place 1. */
    private Object peek(TopicRequest r) throws AdminException {
        int position = Integer.parseInt(r.get("position"));
        if (position < 1) {
            throw new AdminException(412, "the first message has the position 1");
        }
        AdminTopics.Part part = topics.part(r, 405);
        String name = r.get("subscription");
        EntryWalk walk = new EntryWalk(reader, part.log());
        long at = firstUnacked(part, name);
        int before = position - 1;
        while (true) {
            Run run = walk.from(at);
            List<Seen> unacked = unacked(part.log(), name, run.entries());
            if (before < unacked.size()) {
                return shown(part, unacked.get(before));
            }
            if (run.next() <= at) {
                throw new AdminException(404, "Message not found");
            }
            before -= unacked.size();
            at = run.next();
        }
    }

    private static Object shown(AdminTopics.Part part, Seen entry) throws AdminException {
        return MessageAnswer.of(
                entry, await(part.log().container().ask(() -> part.log().ledgerAt(entry.base()))));
    }

    /** By its place from the beginning or the end, whatever subscriptions have acknowledged. */
    private Object examine(TopicRequest r) throws AdminException {
        String given = r.find("messagePosition");
        int position = given == null ? 1 : Math.max(1, Integer.parseInt(given));
        AdminTopics.Part part = topics.part(r, 405);
        EntryWalk walk = new EntryWalk(reader, part.log());
        Seen[] found = new Seen[1];
        if ("earliest".equals(r.find("initialPosition"))) {
            int[] left = {position};
            walk.each(0, entry -> {
                found[0] = entry;
                return --left[0] > 0;
            });
        } else {
            walk.last(position).stream().findFirst().ifPresent(entry -> found[0] = entry);
        }
        if (found[0] == null) {
            throw new AdminException(412, "Could not examine messages due to the total message is zero");
        }
        return shown(part, found[0]);
    }

    private Object byId(TopicRequest r) throws AdminException {
        long ledger = Long.parseLong(r.get("ledger"));
        long entry = Long.parseLong(r.get("entry"));
        AdminTopics.Part part = topics.part(r, 405);
        PartitionLog log = part.log();
        long offset = await(log.container().ask(() -> log.offsetOf(ledger, entry)));
        Run run = offset < 0 || offset == Long.MAX_VALUE
                ? new Run(List.of(), 0)
                : new EntryWalk(reader, log).from(offset);
        if (run.entries().isEmpty() || run.entries().getFirst().base() != entry || offset != entry) {
            throw new AdminException(404, "Message id not found");
        }
        return shown(part, run.entries().getFirst());
    }

    /** Id of the first message that was published then or later; where there is none, of the one that comes next. */
    private Object idByTime(TopicRequest r) throws AdminException {
        long time = Long.parseLong(r.get("timestamp"));
        AdminTopics.Part part = topics.part(r, 405);
        PartitionLog log = part.log();
        return id(part, await(log.container().<Long>ask(answer -> log.offsetAtTime(time, offset(log, answer)))));
    }

    private static PartitionLog.TimeReply offset(PartitionLog log, Answer<Long> answer) {
        return new PartitionLog.TimeReply() {
            @Override
            public void found(PartitionLog.OffsetAndTime base) {
                answer.complete(base.offset() < 0 ? log.durableEnd() : base.offset());
            }

            @Override
            public void failed(StoreFailure why) {
                answer.fail(why);
            }
        };
    }

    /** The index of a message is its offset. */
    private Object idByIndex(TopicRequest r) throws AdminException {
        long index = Long.parseLong(r.get("index"));
        if (index < 0) {
            throw new AdminException(412, "the index of a message is not negative");
        }
        AdminTopics.Part part = topics.part(r, 405);
        Run run = new EntryWalk(reader, part.log()).from(index);
        if (run.entries().isEmpty()) {
            throw new AdminException(404, "Message with index " + index + " not found");
        }
        return id(part, run.entries().getFirst().base());
    }

    private static Object id(AdminTopics.Part part, long entry) throws AdminException {
        long ledger = await(part.log().container().ask(() -> part.log().ledgerAt(entry)));
        return new JsonObject()
                .put("ledgerId", ledger)
                .put("entryId", entry)
                .put("partitionIndex", part.partition())
                .put("batchIndex", -1)
                .put("batchSize", 0);
    }
}
