package io.sluice.pulsar.handler;

import io.netty.buffer.ByteBuf;
import io.sluice.pulsar.connection.CommandRouter;
import io.sluice.pulsar.connection.Connection;
import io.sluice.pulsar.wire.MalformedCommandException;
import org.apache.pulsar.common.api.proto.BaseCommand;
import org.apache.pulsar.common.protocol.Commands;

/** From a command's type to its handler. A connection begins with CONNECT; what only a server sends ends it. */
public final class Commander implements CommandRouter {
    @Override
    public void route(Connection c, BaseCommand command, ByteBuf in, int end) {
        BaseCommand.Type type = command.getType();
        if (c.isConnected() == (type == BaseCommand.Type.CONNECT)) {
            throw new MalformedCommandException(type + " is not expected now");
        }
        if (!hasBody(command, type)) {
            throw new MalformedCommandException(type + " without its fields");
        }
        switch (type) {
            case SEND -> SendHandler.handle(c, command.getSend(), in, end);
            case FLOW -> FlowHandler.handle(c, command.getFlow());
            case ACK -> AckHandler.handle(c, command.getAck());
            case REDELIVER_UNACKNOWLEDGED_MESSAGES ->
                RedeliverHandler.handle(c, command.getRedeliverUnacknowledgedMessages());
            case CONNECT -> ConnectHandler.handle(c, command.getConnect());
            case PING -> c.send(Commands.newPong());
            case AUTH_RESPONSE -> ConnectHandler.handle(c, command.getAuthResponse());
            case PONG, WATCH_SCALABLE_TOPICS_CLOSE -> {
                // being heard is all
            }
            case LOOKUP -> LookupHandler.handle(c, command.getLookupTopic());
            case PARTITIONED_METADATA -> PartitionedMetadataHandler.handle(c, command.getPartitionMetadata());
            case GET_TOPICS_OF_NAMESPACE -> TopicsOfNamespaceHandler.handle(c, command.getGetTopicsOfNamespace());
            case GET_SCHEMA -> GetSchemaHandler.handle(c, command.getGetSchema());
            case GET_OR_CREATE_SCHEMA -> GetOrCreateSchemaHandler.handle(c, command.getGetOrCreateSchema());
            case PRODUCER -> ProducerHandler.handle(c, command.getProducer());
            case CLOSE_PRODUCER -> CloseProducerHandler.handle(c, command.getCloseProducer());
            case SUBSCRIBE -> SubscribeHandler.handle(c, command.getSubscribe());
            case UNSUBSCRIBE -> UnsubscribeHandler.handle(c, command.getUnsubscribe());
            case CLOSE_CONSUMER -> CloseConsumerHandler.handle(c, command.getCloseConsumer());
            case SEEK -> SeekHandler.handle(c, command.getSeek());
            case GET_LAST_MESSAGE_ID -> GetLastMessageIdHandler.handle(c, command.getGetLastMessageId());
            case CONSUMER_STATS -> ConsumerStatsHandler.handle(c, command.getConsumerStats());
            case SCALABLE_TOPIC_LOOKUP -> ScalableLookupHandler.handle(c, command.getScalableTopicLookup());
            case SCALABLE_TOPIC_CLOSE -> ScalableLookupHandler.handle(c, command.getScalableTopicClose());
            case SCALABLE_TOPIC_SUBSCRIBE -> StreamSubscribeHandler.handle(c, command.getScalableTopicSubscribe());
            case TC_CLIENT_CONNECT_REQUEST -> TcClientConnectHandler.handle(c, command.getTcClientConnectRequest());
            case WATCH_TC_ASSIGNMENTS -> CoordinatorWatchHandler.handle(c, command.getWatchTcAssignments());
            case WATCH_TC_ASSIGNMENTS_CLOSE -> CoordinatorWatchHandler.handle(c, command.getWatchTcAssignmentsClose());
            case NEW_TXN -> NewTxnHandler.handle(c, command.getNewTxn());
            case ADD_PARTITION_TO_TXN -> AddPartitionToTxnHandler.handle(c, command.getAddPartitionToTxn());
            case END_TXN -> EndTxnHandler.handle(c, command.getEndTxn());
            case ADD_SUBSCRIPTION_TO_TXN -> AddSubscriptionToTxnHandler.handle(c, command.getAddSubscriptionToTxn());
            case WATCH_TOPIC_LIST -> TopicListWatchHandler.handle(c, command.getWatchTopicList());
            case WATCH_TOPIC_LIST_CLOSE -> TopicListWatchHandler.handle(c, command.getWatchTopicListClose());
            case WATCH_SCALABLE_TOPICS -> UnsupportedHandler.handle(c, command);
            default -> throw new MalformedCommandException("a client does not send " + type);
        }
    }

    /** Whether a command of a type that {@link #route} reads has its body. */
    private static boolean hasBody(BaseCommand c, BaseCommand.Type type) {
        return switch (type) {
            case SEND -> c.hasSend();
            case FLOW -> c.hasFlow();
            case ACK -> c.hasAck();
            case REDELIVER_UNACKNOWLEDGED_MESSAGES -> c.hasRedeliverUnacknowledgedMessages();
            case CONNECT -> c.hasConnect();
            case AUTH_RESPONSE -> c.hasAuthResponse();
            case LOOKUP -> c.hasLookupTopic();
            case PARTITIONED_METADATA -> c.hasPartitionMetadata();
            case GET_TOPICS_OF_NAMESPACE -> c.hasGetTopicsOfNamespace();
            case GET_SCHEMA -> c.hasGetSchema();
            case GET_OR_CREATE_SCHEMA -> c.hasGetOrCreateSchema();
            case PRODUCER -> c.hasProducer();
            case CLOSE_PRODUCER -> c.hasCloseProducer();
            case SUBSCRIBE -> c.hasSubscribe();
            case UNSUBSCRIBE -> c.hasUnsubscribe();
            case CLOSE_CONSUMER -> c.hasCloseConsumer();
            case SEEK -> c.hasSeek();
            case GET_LAST_MESSAGE_ID -> c.hasGetLastMessageId();
            case CONSUMER_STATS -> c.hasConsumerStats();
            case SCALABLE_TOPIC_LOOKUP -> c.hasScalableTopicLookup();
            case SCALABLE_TOPIC_SUBSCRIBE -> c.hasScalableTopicSubscribe();
            case WATCH_SCALABLE_TOPICS -> c.hasWatchScalableTopics();
            case SCALABLE_TOPIC_CLOSE -> c.hasScalableTopicClose();
            case TC_CLIENT_CONNECT_REQUEST -> c.hasTcClientConnectRequest();
            case WATCH_TC_ASSIGNMENTS -> c.hasWatchTcAssignments();
            case WATCH_TC_ASSIGNMENTS_CLOSE -> c.hasWatchTcAssignmentsClose();
            case NEW_TXN -> c.hasNewTxn();
            case ADD_PARTITION_TO_TXN -> c.hasAddPartitionToTxn();
            case ADD_SUBSCRIPTION_TO_TXN -> c.hasAddSubscriptionToTxn();
            case END_TXN -> c.hasEndTxn();
            case WATCH_TOPIC_LIST -> c.hasWatchTopicList();
            case WATCH_TOPIC_LIST_CLOSE -> c.hasWatchTopicListClose();
            default -> true;
        };
    }
}
