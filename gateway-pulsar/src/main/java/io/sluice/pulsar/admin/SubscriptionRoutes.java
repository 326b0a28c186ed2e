package io.sluice.pulsar.admin;

import static io.sluice.broker.access.Operation.READ;
import static io.sluice.pulsar.admin.AdminAnswers.await;

import io.sluice.broker.log.Isolation;
import io.sluice.broker.log.PartitionLog;
import io.sluice.broker.log.SubscriptionStart;
import io.sluice.broker.subscription.Cursor;
import io.sluice.broker.subscription.Subscriptions;
import io.sluice.broker.topic.Topic;
import io.sluice.pulsar.dispatch.CompactedReads;
import io.sluice.pulsar.dispatch.EntryLocation;
import io.sluice.pulsar.dispatch.LastMessage;
import io.sluice.pulsar.dispatch.ReplicatedFlag;
import io.sluice.pulsar.dispatch.Subscription;
import io.sluice.pulsar.hub.ChangeSubscription;
import io.sluice.pulsar.hub.ChangeSubscription.Change;
import io.sluice.pulsar.hub.PartitionHub;
import io.sluice.pulsar.services.ClientLimits;
import io.sluice.pulsar.services.NewSubscriptions;
import io.sluice.pulsar.topic.TopicAccess.Found;
import io.sluice.store.segment.Answer;
import io.sluice.store.segment.StoreFailure;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Subscriptions of a topic: list, create, delete, skip, reset. On a partitioned topic each does all partitions. Moving a
 * subscription closes its consumers, who come back by themselves.
 */
final class SubscriptionRoutes {
    private static final String TOPIC = "/admin/v2/persistent/:tenant/:namespace/:topic";
    private static final String SUBSCRIPTION = TOPIC + "/subscription/:subscription";

    private final AdminTopics topics;
    private final KafkaGroups groups;

    SubscriptionRoutes(AdminTopics topics) {
        this.topics = topics;
        this.groups = new KafkaGroups(topics);
    }

    void add(Routes routes) {
        var read = routes.topic(READ);
        read.get(TOPIC + "/subscriptions", this::list);
        read.put(SUBSCRIPTION, this::create);
        read.delete(SUBSCRIPTION, this::delete);
        read.post(SUBSCRIPTION + "/skip_all", r -> change(r, Change.MOVE_TO_END, 0));
        read.post(SUBSCRIPTION + "/skip/:count", this::skip);
        read.post(
                SUBSCRIPTION + "/resetcursor/:timestamp",
                r -> change(r, Change.MOVE_TO_TIME, Long.parseLong(r.get("timestamp"))));
        read.post(SUBSCRIPTION + "/resetcursor", this::resetToId);
        read.get(TOPIC + "/lastMessageId", this::lastMessageId);
    }

    private Object list(TopicRequest r) throws AdminException {
        TreeSet<String> names = new TreeSet<>();
        topics.each(r, part -> names(r, part), node -> namesIn(node.same())).forEach(names::addAll);
        return new JsonArray(List.copyOf(names));
    }

    private List<String> names(TopicRequest r, AdminTopics.Part part) throws AdminException {
        List<String> ofKafka = groups.in(part, r.request().principal()).stream()
                .map(GroupName::of)
                .toList();
        return await(part.log().container().ask(() -> {
            List<String> here = new ArrayList<>(ofKafka);
            part.log().subscriptions().all().stream()
                    .filter(c -> !Subscriptions.isReplicator(c.name()))
                    .forEach(c -> here.add(c.name()));
            topics.view(part).subscriptions().forEach(s -> here.add(s.name()));
            return here;
        }));
    }

    private static List<String> namesIn(String array) {
        return new JsonArray(array).stream().map(String::valueOf).toList();
    }

    private @Nullable Object create(TopicRequest r) throws AdminException {
        JsonObject position = r.json();
        Map<String, String> properties = new HashMap<>();
        JsonObject given = position.getJsonObject("properties");
        if (given != null) {
            given.forEach(e -> properties.put(e.getKey(), String.valueOf(e.getValue())));
        }
        SubscriptionStart start = position.isEmpty() ? SubscriptionStart.END : at(position);
        Map<String, String> own = ReplicatedFlag.without(properties);
        boolean replicated = r.flag("replicated");
        Wanted wanted = new Wanted(r.get("subscription"), replicated ? ReplicatedFlag.set(own) : own, start);
        if (Subscriptions.isReplicator(wanted.name)) {
            throw new AdminException(412, ClientLimits.RESERVED);
        }
        Found.There there = topics.createIfMissing(r);
        if (there instanceof Found.Partitioned
                && !topics.services().scalable().hasSegmentsIn(there.topic().name())) {
            topics.whileUnchanged(
                    there.topic().name(),
                    now -> topics.each(r, now, part -> create(part, wanted, false), OtherNode::same));
            return null;
        }
        topics.each(r, there, part -> create(part, wanted, true), OtherNode::same);
        return null;
    }

    /** A subscription that is to be made; {@code start} is asked on the loop. */
    private record Wanted(String name, Map<String, String> properties, SubscriptionStart start) {}

    /** @param alone whether the other partitions are not asked for */
    private String create(AdminTopics.Part part, Wanted wanted, boolean alone) throws AdminException {
        boolean created = await(part.log().container().<Boolean>ask(answer -> {
            Subscriptions all = part.log().subscriptions();
            if (all.find(wanted.name) != null) {
                throw new AdminException(409, "Subscription already exists for topic");
            }
            String why = all.whyNot(wanted.name, wanted.properties);
            if (why != null) {
                throw new AdminException(412, why);
            }
            String full = topics.services()
                    .limits()
                    .whyNoMoreSubscriptions(topics.services().topics().current(part.topic()), part.log());
            if (full != null) {
                throw new AdminException(412, full);
            }
            if (alone && NewSubscriptions.isOfSeveral(topics.services(), part.topic())) {
                answer.complete(false);
            } else if (topics.services().scalable().hasSegmentsIn(part.topic().name())) {
                throw new AdminException(503, "the topic was just made scalable: try again");
            } else {
                long start = wanted.start.applyAsLong(part.log());
                all.create(wanted.name, start, wanted.properties, answer.onceDurable(true));
            }
        }));
        if (!created) {
            await(NewSubscriptions.make(
                            topics.services(),
                            part.topic(),
                            part.partition(),
                            wanted.name,
                            wanted.properties,
                            wanted.start)
                    .thenApply(_ -> true));
        }
        return Routes.NOTHING;
    }

    private static SubscriptionStart at(JsonObject id) {
        return new SubscriptionStart.AtMessage(
                id.getLong("ledgerId", -1L), id.getLong("entryId", -1L), Math.max(0, id.getInteger("batchIndex", -1)));
    }

    private @Nullable Object delete(TopicRequest r) throws AdminException {
        if (GroupName.isGroup(r.get("subscription"))) {
            groups.forget(r, topics.topic(r));
            return null;
        }
        AdminTopics.Here<String> here = part -> {
            delete(part, r.get("subscription"), r.flag("force"));
            return Routes.NOTHING;
        };
        if (r.found() instanceof Found.Partitioned partitioned) {
            topics.whileUnchanged(partitioned.topic().name(), now -> topics.each(r, now, here, OtherNode::same));
        } else {
            here.with(topics.part(r));
        }
        return null;
    }

    /** @param force consumers lose it */
    private void delete(AdminTopics.Part part, String name, boolean force) throws AdminException {
        await(part.log().container().<Boolean>ask(answer -> {
            PartitionHub hub = topics.hub(part);
            boolean busy = topics.view(part).subscriptions().stream()
                    .anyMatch(s -> s.name().equals(name) && !s.consumers().isEmpty());
            if (part.log().subscriptions().find(name) == null && !busy) {
                throw notFound(part, name);
            }
            if (busy && !force) {
                throw new AdminException(412, "Subscription has active connected consumers");
            }
            if (hub != null) {
                hub.subscriptions().unsubscribe(name, answer.onceDurable(true));
            } else {
                CompactedReads.deleteSubscription(part.log(), name, answer.onceDurable(true));
            }
        }));
    }

    /** In every partition, whichever node serves it. */
    private @Nullable Object change(TopicRequest r, Change change, long time) throws AdminException {
        var step = new ChangeSubscription(
                r.get("subscription"), change, time, topics.services().hubs());
        AdminTopics.Here<String> here = part -> {
            PartitionLog log = part.log();
            if (GroupName.isGroup(step.subscription())) {
                groups.move(r, part, KafkaGroups.target(change, time));
                return Routes.NOTHING;
            }
            if (!await(log.container().<Boolean>ask(answer -> step.ask(log, answer)))) {
                throw notFound(part, step.subscription());
            }
            return Routes.NOTHING;
        };
        topics.each(r, here, OtherNode::same);
        return null;
    }

    private void move(AdminTopics.Part part, String name, long offset, Answer<Boolean> answer) {
        PartitionHub hub = topics.hub(part);
        Subscription connected = hub == null ? null : hub.subscriptions().connected(name);
        Cursor cursor = part.log().subscriptions().find(name);
        if (connected != null) {
            connected.seek(offset, answer.onceDurable(true));
        } else if (cursor != null) {
            cursor.seek(offset, answer.onceDurable(true));
        } else {
            answer.completeExceptionally(notFound(part, name));
        }
    }

    static AdminException notFound(AdminTopics.Part part, String subscription) {
        return notFound(part.topic(), subscription);
    }

    static AdminException notFound(Topic topic, String subscription) {
        return new AdminException(404, "Subscription " + subscription + " not found for topic " + topic.name());
    }

    /** Skips messages that are not acknowledged, from the first on. */
    private @Nullable Object skip(TopicRequest r) throws AdminException {
        long count = Long.parseLong(r.get("count"));
        if (count < 0) {
            throw new AdminException(412, "the number of messages to skip must not be negative");
        }
        AdminTopics.Part part = topics.part(r, 405);
        if (GroupName.isGroup(r.get("subscription"))) {
            groups.move(r, part, KafkaGroups.skip(count));
            return null;
        }
        await(part.log().container().<Boolean>ask(answer -> {
            Cursor cursor = part.log().subscriptions().find(r.get("subscription"));
            if (cursor == null) {
                throw notFound(part, r.get("subscription"));
            }
            long end = part.log().readableEnd(Isolation.COMMITTED);
            long start = Math.max(cursor.ackedBelow(), part.log().startOffset());
            // beyond the end there is nothing to count
            long at = cursor.afterUnacked(start, Math.min(count, end - start));
            passOver(part, cursor, Math.min(at, end), answer);
        }));
        return null;
    }

    /** Acknowledges all before the offset: consumers keep what they hold, and what is acknowledged behind it stays so. */
    private void passOver(AdminTopics.Part part, Cursor cursor, long offset, Answer<Boolean> answer) {
        PartitionHub hub = topics.hub(part);
        Subscription connected = hub == null ? null : hub.subscriptions().connected(cursor.name());
        cursor.ackUpTo(offset - 1, answer.onceDurable(true));
        if (connected != null) {
            connected.passOver(offset);
        }
    }

    private @Nullable Object resetToId(TopicRequest r) throws AdminException {
        NamedMessage message = NamedMessage.of(r);
        AdminTopics.Part part = topics.part(r, 405);
        PartitionLog log = part.log();
        long offset = message.offset(log, message.excluded());
        if (GroupName.isGroup(r.get("subscription"))) {
            long end = await(log.container().ask(() -> log.readableEnd(Isolation.COMMITTED)));
            groups.move(r, part, (_, _) -> Math.min(offset, end));
            return null;
        }
        await(log.container()
                .<Boolean>ask(answer -> move(
                        part, r.get("subscription"), Math.min(offset, log.readableEnd(Isolation.COMMITTED)), answer)));
        return null;
    }

    private Object lastMessageId(TopicRequest r) throws AdminException {
        return lastMessageId(topics.part(r));
    }

    JsonObject lastMessageId(AdminTopics.Part part) throws AdminException {
        PartitionLog log = part.log();
        return await(log.container()
                .<JsonObject>ask(answer -> LastMessage.find(log, new EntryLocation() {
                    @Override
                    public void entry(long base, int count) {
                        answer.complete(id(base, count));
                    }

                    @Override
                    public void gone() {
                        answer.complete(id(-1, 1));
                    }

                    @Override
                    public void failed(StoreFailure why) {
                        answer.fail(why);
                    }

                    private JsonObject id(long entry, int messages) {
                        JsonObject id = new JsonObject()
                                .put("ledgerId", log.ledgerAt(entry))
                                .put("entryId", entry)
                                .put("partitionIndex", part.partition());
                        return messages == 1
                                ? id.put("batchIndex", -1).put("batchSize", 0)
                                : id.put("batchIndex", messages - 1)
                                        .put("batchSize", 0)
                                        .put("originalBatchSize", 0)
                                        .put("outstandingAcksInSameBatch", 0);
                    }
                })));
    }
}
