package io.sluice.pulsar.fuzz;

import org.apache.pulsar.common.api.proto.BaseCommand;
import org.jspecify.annotations.Nullable;

/** The request id of a command or of an answer. */
final class RequestIds {
    private RequestIds() {}

    /** Null if it has none. */
    static @Nullable Long of(BaseCommand c) {
        return switch (c.getType()) {
            case PRODUCER -> c.getProducer().getRequestId();
            case SUBSCRIBE -> c.getSubscribe().getRequestId();
            case UNSUBSCRIBE -> c.getUnsubscribe().getRequestId();
            case SEEK -> c.getSeek().getRequestId();
            case ACK -> c.getAck().hasRequestId() ? c.getAck().getRequestId() : null;
            case CLOSE_PRODUCER -> c.getCloseProducer().getRequestId();
            case CLOSE_CONSUMER -> c.getCloseConsumer().getRequestId();
            case GET_LAST_MESSAGE_ID -> c.getGetLastMessageId().getRequestId();
            case CONSUMER_STATS -> c.getConsumerStats().getRequestId();
            case LOOKUP -> c.getLookupTopic().getRequestId();
            case PARTITIONED_METADATA -> c.getPartitionMetadata().getRequestId();
            case GET_TOPICS_OF_NAMESPACE -> c.getGetTopicsOfNamespace().getRequestId();
            case GET_SCHEMA -> c.getGetSchema().getRequestId();
            case GET_OR_CREATE_SCHEMA -> c.getGetOrCreateSchema().getRequestId();
            case TC_CLIENT_CONNECT_REQUEST -> c.getTcClientConnectRequest().getRequestId();
            case NEW_TXN -> c.getNewTxn().getRequestId();
            case ADD_PARTITION_TO_TXN -> c.getAddPartitionToTxn().getRequestId();
            case ADD_SUBSCRIPTION_TO_TXN -> c.getAddSubscriptionToTxn().getRequestId();
            case END_TXN -> c.getEndTxn().getRequestId();
            case WATCH_TOPIC_LIST -> c.getWatchTopicList().getRequestId();
            case WATCH_TOPIC_LIST_CLOSE -> c.getWatchTopicListClose().getRequestId();
            default -> ofAnswer(c);
        };
    }

    private static @Nullable Long ofAnswer(BaseCommand c) {
        return switch (c.getType()) {
            case SUCCESS -> c.getSuccess().getRequestId();
            case ERROR -> c.getError().getRequestId();
            case PRODUCER_SUCCESS -> c.getProducerSuccess().getRequestId();
            case LOOKUP_RESPONSE -> c.getLookupTopicResponse().getRequestId();
            case PARTITIONED_METADATA_RESPONSE ->
                c.getPartitionMetadataResponse().getRequestId();
            case CONSUMER_STATS_RESPONSE -> c.getConsumerStatsResponse().getRequestId();
            case GET_LAST_MESSAGE_ID_RESPONSE -> c.getGetLastMessageIdResponse().getRequestId();
            case GET_TOPICS_OF_NAMESPACE_RESPONSE ->
                c.getGetTopicsOfNamespaceResponse().getRequestId();
            case GET_SCHEMA_RESPONSE -> c.getGetSchemaResponse().getRequestId();
            case GET_OR_CREATE_SCHEMA_RESPONSE ->
                c.getGetOrCreateSchemaResponse().getRequestId();
            case ACK_RESPONSE -> c.getAckResponse().getRequestId();
            case TC_CLIENT_CONNECT_RESPONSE -> c.getTcClientConnectResponse().getRequestId();
            case NEW_TXN_RESPONSE -> c.getNewTxnResponse().getRequestId();
            case ADD_PARTITION_TO_TXN_RESPONSE ->
                c.getAddPartitionToTxnResponse().getRequestId();
            case ADD_SUBSCRIPTION_TO_TXN_RESPONSE ->
                c.getAddSubscriptionToTxnResponse().getRequestId();
            case WATCH_TOPIC_LIST_SUCCESS -> c.getWatchTopicListSuccess().getRequestId();
            case END_TXN_RESPONSE -> c.getEndTxnResponse().getRequestId();
            default -> null;
        };
    }
}
