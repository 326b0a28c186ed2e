package io.sluice.pulsar.admin;

import io.sluice.broker.log.PartitionLog;
import io.sluice.broker.subscription.Cursor;
import io.sluice.pulsar.dispatch.ConsumerView;
import io.sluice.pulsar.dispatch.HubView;
import io.sluice.pulsar.dispatch.PartitionHub;
import io.sluice.pulsar.dispatch.ProducerSession;
import io.sluice.pulsar.dispatch.SubscriptionView;
import io.sluice.pulsar.dispatch.Traffic;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Instant;
import java.util.List;
import java.util.Map;

/** Stats of topics in the shape of Pulsar's {@code TopicStats}; what is not measured is left out, which reads as 0. */
final class Stats {
    private static final List<String> COUNTS =
            List.of("msgInCounter", "bytesInCounter", "msgOutCounter", "bytesOutCounter", "storageSize", "backlogSize");
    private static final List<String> RATES = List.of("msgRateIn", "msgThroughputIn", "msgRateOut", "msgThroughputOut");
    private static final List<String> COUNTS_OF_SUBSCRIPTION =
            List.of("msgBacklog", "unackedMessages", "msgOutCounter", "bytesOutCounter");
    private static final List<String> RATES_OF_SUBSCRIPTION = List.of("msgRateOut", "msgThroughputOut");

    private Stats() {}

    static JsonObject of(AdminTopics topics, AdminTopics.Part part) throws AdminException {
        return LoopCalls.call(part.log(), new JsonObject(), result -> result.is(collect(topics, part)));
    }

    private static JsonObject collect(AdminTopics topics, AdminTopics.Part part) {
        PartitionLog log = part.log();
        HubView view = topics.view(part);
        JsonArray publishers = new JsonArray();
        view.producers().forEach(p -> publishers.add(publisher(p)));
        JsonObject subscriptions = new JsonObject();
        long backlogSize = 0;
        for (Cursor c : log.subscriptions().all()) {
            subscriptions.put(c.name(), idle(log, c, view.flow().to(c.name())));
            backlogSize = Math.max(backlogSize, log.bytesAfter(Math.max(c.ackedBelow(), log.startOffset())));
        }
        for (SubscriptionView s : view.subscriptions()) {
            subscriptions.put(s.name(), connected(s, view.flow().to(s.name())));
        }
        Traffic.View in = view.flow().in();
        return withIn(withOut(new JsonObject(), view.flow().out()), in)
                .put("msgInCounter", in.messages())
                .put("bytesInCounter", in.bytes())
                .put("storageSize", log.sizeBytes())
                .put("backlogSize", backlogSize)
                .put("publishers", publishers)
                .put("subscriptions", subscriptions)
                .put("deduplicationStatus", topics.services().config().deduplication() ? "Enabled" : "Disabled");
    }

    private static JsonObject withOut(JsonObject json, Traffic.View out) {
        return json.put("msgOutCounter", out.messages())
                .put("bytesOutCounter", out.bytes())
                .put("msgRateOut", out.messageRate())
                .put("msgThroughputOut", out.byteRate());
    }

    private static JsonObject withIn(JsonObject json, Traffic.View in) {
        return json.put("msgRateIn", in.messageRate())
                .put("msgThroughputIn", in.byteRate())
                .put("averageMsgSize", in.messages() == 0 ? 0 : in.bytes() / (double) in.messages());
    }

    private static JsonObject publisher(ProducerSession.View p) {
        return withIn(new JsonObject(), p.in())
                .put("accessMode", p.identity().mode().name())
                .put("producerId", p.identity().id())
                .put("producerName", p.identity().name())
                .put("address", p.address())
                .put("connectedSince", Instant.ofEpochMilli(p.connectedAt()).toString());
    }

    private static JsonObject idle(PartitionLog log, Cursor c, Traffic.View out) {
        return withOut(new JsonObject(), out)
                .put("msgBacklog", PartitionHub.backlog(log, c))
                .put("type", "None")
                .put("isDurable", true)
                .put("durable", true)
                .put("subscriptionProperties", new JsonObject(Map.copyOf(c.properties())))
                .put("consumers", new JsonArray());
    }

    private static JsonObject connected(SubscriptionView s, Traffic.View out) {
        JsonArray consumers = new JsonArray();
        s.consumers().forEach(c -> consumers.add(consumer(c)));
        JsonObject json = withOut(new JsonObject(), out)
                .put("msgBacklog", s.backlog())
                .put("unackedMessages", s.unacked())
                .put("type", s.type())
                .put("isDurable", s.durable())
                .put("durable", s.durable())
                .put("subscriptionProperties", new JsonObject(Map.copyOf(s.properties())))
                .put("consumers", consumers);
        return s.active().isEmpty() ? json : json.put("activeConsumerName", s.active());
    }

    private static JsonObject consumer(ConsumerView c) {
        return withOut(new JsonObject(), c.out())
                .put("msgRateRedeliver", c.redelivered().messageRate())
                .put("consumerName", c.identity().name())
                .put("availablePermits", c.permits())
                .put("unackedMessages", c.unacked())
                .put("blockedConsumerOnUnackedMsgs", c.blocked())
                .put("address", c.address())
                .put("connectedSince", Instant.ofEpochMilli(c.connectedAt()).toString())
                .put("metadata", new JsonObject(Map.copyOf(c.identity().metadata())));
    }

    /** {@code PersistentTopicInternalStats}: one ledger, which is the segment; positions are offsets. */
    static JsonObject internal(AdminTopics.Part part) throws AdminException {
        PartitionLog log = part.log();
        return LoopCalls.call(log, new JsonObject(), result -> {
            long segment = log.segment();
            long messages = log.endOffset() - log.startOffset();
            JsonObject cursors = new JsonObject();
            for (Cursor c : log.subscriptions().all()) {
                cursors.put(
                        c.name(),
                        new JsonObject()
                                .put("markDeletePosition", segment + ":" + (c.ackedBelow() - 1))
                                .put("readPosition", segment + ":" + c.nextUnacked(c.ackedBelow()))
                                .put("individuallyDeletedMessages", "[" + c.ackedRanges() + " ranges]")
                                .put("subscriptionHavePendingRead", false)
                                .put("state", "Open"));
            }
            JsonObject ledger = new JsonObject()
                    .put("ledgerId", segment)
                    .put("entries", messages)
                    .put("size", log.sizeBytes())
                    .put("offloaded", false);
            result.is(new JsonObject()
                    .put("entriesAddedCounter", log.endOffset())
                    .put("numberOfEntries", messages)
                    .put("totalSize", log.sizeBytes())
                    .put("currentLedgerEntries", messages)
                    .put("currentLedgerSize", log.sizeBytes())
                    .put("lastConfirmedEntry", segment + ":" + (log.endOffset() - 1))
                    .put("state", "LedgerOpened")
                    .put("ledgers", new JsonArray().add(ledger))
                    .put("cursors", cursors));
        });
    }

    /** Counters of all partitions together, and their subscriptions' backlogs by name. */
    static JsonObject sum(JsonObject byPartition) {
        JsonObject sum = new JsonObject().put("publishers", new JsonArray());
        JsonObject subscriptions = new JsonObject();
        for (String name : byPartition.fieldNames()) {
            JsonObject part = byPartition.getJsonObject(name);
            add(sum, part, COUNTS, RATES);
            JsonObject of = part.getJsonObject("subscriptions");
            for (String s : of.fieldNames()) {
                add(subscriptions, s, of.getJsonObject(s));
            }
        }
        return sum.put("subscriptions", subscriptions);
    }

    private static void add(JsonObject sum, JsonObject part, List<String> counts, List<String> rates) {
        for (String field : counts) {
            sum.put(field, sum.getLong(field, 0L) + part.getLong(field, 0L));
        }
        for (String field : rates) {
            sum.put(field, sum.getDouble(field, 0.0) + part.getDouble(field, 0.0));
        }
    }

    private static void add(JsonObject subscriptions, String name, JsonObject part) {
        JsonObject there = subscriptions.getJsonObject(name);
        if (there == null) {
            subscriptions.put(name, part.copy());
            return;
        }
        add(there, part, COUNTS_OF_SUBSCRIPTION, RATES_OF_SUBSCRIPTION);
        there.getJsonArray("consumers").addAll(part.getJsonArray("consumers"));
        if (there.getString("type").equals("None")) {
            there.put("type", part.getString("type"));
        }
    }
}
