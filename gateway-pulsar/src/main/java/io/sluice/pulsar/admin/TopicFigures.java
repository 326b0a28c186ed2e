package io.sluice.pulsar.admin;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.Map;
import java.util.function.Function;
import org.apache.pulsar.common.policies.data.ConsumerStats;
import org.apache.pulsar.common.policies.data.PublisherStats;
import org.apache.pulsar.common.policies.data.ReplicatorStats;
import org.apache.pulsar.common.policies.data.SubscriptionStats;
import org.apache.pulsar.common.policies.data.stats.NonPersistentTopicStatsImpl;
import org.apache.pulsar.common.policies.data.stats.TopicStatsImpl;

/** Stats of topics in the fields of Pulsar's page of a whole broker, which has other ones than the page of a topic. */
final class TopicFigures {
    private TopicFigures() {}

    static JsonObject ofPersistent(Map<String, TopicStatsImpl> topics) {
        return each(topics, TopicFigures::persistent);
    }

    static JsonObject ofLive(Map<String, NonPersistentTopicStatsImpl> topics) {
        return each(topics, TopicFigures::live);
    }

    private static <T> JsonObject each(Map<String, T> values, Function<T, JsonObject> shown) {
        JsonObject all = new JsonObject();
        values.forEach((name, value) -> all.put(name, shown.apply(value)));
        return all;
    }

    private static JsonObject persistent(TopicStatsImpl topic) {
        return common(topic)
                .put("msgInCount", topic.msgInCounter)
                .put("bytesInCount", topic.bytesInCounter)
                .put("msgOutCount", topic.msgOutCounter)
                .put("bytesOutCount", topic.bytesOutCounter)
                .put("storageSize", topic.storageSize)
                .put("backlogSize", topic.backlogSize)
                // a producer is answered when its message is durable: nothing is pending by itself
                .put("pendingAddEntriesCount", 0)
                .put("filteredEntriesCount", 0);
    }

    private static JsonObject live(NonPersistentTopicStatsImpl topic) {
        return common(topic);
    }

    private static JsonObject common(TopicStatsImpl topic) {
        JsonArray publishers = new JsonArray();
        topic.getPublishers().forEach(each -> publishers.add(publisher(each)));
        return new JsonObject()
                .put("publishers", publishers)
                .put("replication", each(topic.getReplication(), TopicFigures::replicator))
                .put("subscriptions", each(topic.getSubscriptions(), TopicFigures::subscription))
                .put("producerCount", topic.getPublishers().size())
                .put("averageMsgSize", topic.averageMsgSize)
                .put("msgRateIn", topic.msgRateIn)
                .put("msgRateOut", topic.msgRateOut)
                .put("msgThroughputIn", topic.msgThroughputIn)
                .put("msgThroughputOut", topic.msgThroughputOut);
    }

    private static JsonObject publisher(PublisherStats each) {
        return new JsonObject()
                .put("msgRateIn", each.getMsgRateIn())
                .put("msgThroughputIn", each.getMsgThroughputIn())
                .put("averageMsgSize", each.getAverageMsgSize())
                .put("address", each.getAddress())
                .put("producerId", each.getProducerId())
                .put("producerName", each.getProducerName())
                .put("connectedSince", each.getConnectedSince())
                .put("clientVersion", each.getClientVersion())
                .put("metadata", new JsonObject(Map.copyOf(each.getMetadata())));
    }

    private static JsonObject replicator(ReplicatorStats each) {
        return new JsonObject()
                .put("connected", each.isConnected())
                .put("msgRateExpired", each.getMsgRateExpired())
                .put("msgRateIn", each.getMsgRateIn())
                .put("msgRateOut", each.getMsgRateOut())
                .put("msgThroughputIn", each.getMsgThroughputIn())
                .put("msgThroughputOut", each.getMsgThroughputOut())
                .put("replicationBacklog", each.getReplicationBacklog())
                .put("replicationDelayInSeconds", each.getReplicationDelayInSeconds())
                .put("inboundConnection", each.getInboundConnection())
                .put("inboundConnectedSince", each.getInboundConnectedSince())
                .put("outboundConnection", each.getOutboundConnection())
                .put("outboundConnectedSince", each.getOutboundConnectedSince());
    }

    private static JsonObject subscription(SubscriptionStats each) {
        boolean shared = each.getType().endsWith("Shared");
        JsonArray consumers = new JsonArray();
        each.getConsumers().forEach(consumer -> consumers.add(consumer(consumer, shared)));
        JsonObject shown = new JsonObject()
                .put("consumers", consumers)
                .put("msgBacklog", each.getMsgBacklog())
                .put("msgRateExpired", each.getMsgRateExpired())
                .put("msgRateOut", each.getMsgRateOut())
                .put("messageAckRate", each.getMessageAckRate())
                .put("msgThroughputOut", each.getMsgThroughputOut())
                .put("msgRateRedeliver", each.getMsgRateRedeliver())
                .put("totalNonContiguousDeletedMessagesRange", each.getNonContiguousDeletedMessagesRanges())
                .put("type", each.getType());
        if (shared) {
            shown.put("blockedSubscriptionOnUnackedMsgs", each.isBlockedSubscriptionOnUnackedMsgs())
                    .put("unackedMessages", each.getUnackedMessages());
        }
        return shown;
    }

    private static JsonObject consumer(ConsumerStats each, boolean shared) {
        JsonObject shown = new JsonObject()
                .put("address", each.getAddress())
                .put("consumerName", each.getConsumerName())
                .put("availablePermits", each.getAvailablePermits())
                .put("connectedSince", each.getConnectedSince())
                .put("msgRateOut", each.getMsgRateOut())
                .put("msgThroughputOut", each.getMsgThroughputOut())
                .put("msgRateRedeliver", each.getMsgRateRedeliver())
                .put("avgMessagesPerEntry", each.getAvgMessagesPerEntry())
                .put("messageAckRate", each.getMessageAckRate());
        if (shared) {
            shown.put("unackedMessages", each.getUnackedMessages())
                    .put("blockedConsumerOnUnackedMsgs", each.isBlockedConsumerOnUnackedMsgs());
        }
        return shown.put("clientVersion", each.getClientVersion())
                .put("metadata", new JsonObject(Map.copyOf(each.getMetadata())));
    }
}
