package io.sluice.pulsar.handler;

import io.netty.buffer.ByteBuf;
import io.sluice.pulsar.connection.Connection;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.apache.pulsar.common.api.proto.BaseCommand;
import org.apache.pulsar.common.api.proto.BaseCommand.Type;
import org.apache.pulsar.common.protocol.Commands;
import org.jspecify.annotations.Nullable;

/** Commands that clients send, with their handlers: the one list of what is answered. {@code docs/pulsar-protocol.md} shows it. */
final class CommandTable {
    private static final Map<Type, Row> ROWS = new EnumMap<>(Type.class);

    private CommandTable() {}

    /** Carries a command out; on the connection's event loop. */
    interface Handler {
        void handle(Connection c, BaseCommand command, ByteBuf in, int end);
    }

    /**
     * A command.
     *
     * @param by class that handles it
     * @param hasBody whether a command of the type has its fields
     * @param answers commands that the client gets for it, at once or later; none if it hears nothing
     */
    record Row(Class<?> by, Predicate<BaseCommand> hasBody, Handler handler, List<Type> answers) {}

    /** Null for what a client does not send. */
    static @Nullable Row of(Type type) {
        return ROWS.get(type);
    }

    static Map<Type, Row> rows() {
        return Collections.unmodifiableMap(ROWS);
    }

    private static void add(Type type, Class<?> by, Predicate<BaseCommand> hasBody, Handler handler, Type... answers) {
        ROWS.put(type, new Row(by, hasBody, handler, List.of(answers)));
    }

    static {
        add(
                Type.SEND,
                SendHandler.class,
                BaseCommand::hasSend,
                (c, m, in, end) -> SendHandler.handle(c, m.getSend(), in, end),
                Type.SEND_RECEIPT,
                Type.SEND_ERROR,
                Type.CLOSE_PRODUCER);
        add(
                Type.FLOW,
                FlowHandler.class,
                BaseCommand::hasFlow,
                (c, m, in, end) -> FlowHandler.handle(c, m.getFlow()),
                Type.MESSAGE);
        add(
                Type.ACK,
                AckHandler.class,
                BaseCommand::hasAck,
                (c, m, in, end) -> AckHandler.handle(c, m.getAck()),
                Type.ACK_RESPONSE,
                Type.ERROR);
        add(
                Type.REDELIVER_UNACKNOWLEDGED_MESSAGES,
                RedeliverHandler.class,
                BaseCommand::hasRedeliverUnacknowledgedMessages,
                (c, m, in, end) -> RedeliverHandler.handle(c, m.getRedeliverUnacknowledgedMessages()),
                Type.MESSAGE);
        add(
                Type.CONNECT,
                ConnectHandler.class,
                BaseCommand::hasConnect,
                (c, m, in, end) -> ConnectHandler.handle(c, m.getConnect()),
                Type.CONNECTED,
                Type.ERROR);
        add(
                Type.AUTH_RESPONSE,
                ConnectHandler.class,
                BaseCommand::hasAuthResponse,
                (c, m, in, end) -> ConnectHandler.handle(c, m.getAuthResponse()),
                Type.ERROR);
        add(
                Type.LOOKUP,
                LookupHandler.class,
                BaseCommand::hasLookupTopic,
                (c, m, in, end) -> LookupHandler.handle(c, m.getLookupTopic()),
                Type.LOOKUP_RESPONSE);
        add(
                Type.PARTITIONED_METADATA,
                PartitionedMetadataHandler.class,
                BaseCommand::hasPartitionMetadata,
                (c, m, in, end) -> PartitionedMetadataHandler.handle(c, m.getPartitionMetadata()),
                Type.PARTITIONED_METADATA_RESPONSE);
        add(
                Type.GET_TOPICS_OF_NAMESPACE,
                TopicsOfNamespaceHandler.class,
                BaseCommand::hasGetTopicsOfNamespace,
                (c, m, in, end) -> TopicsOfNamespaceHandler.handle(c, m.getGetTopicsOfNamespace()),
                Type.GET_TOPICS_OF_NAMESPACE_RESPONSE,
                Type.ERROR);
        add(
                Type.GET_SCHEMA,
                GetSchemaHandler.class,
                BaseCommand::hasGetSchema,
                (c, m, in, end) -> GetSchemaHandler.handle(c, m.getGetSchema()),
                Type.GET_SCHEMA_RESPONSE);
        add(
                Type.GET_OR_CREATE_SCHEMA,
                GetOrCreateSchemaHandler.class,
                BaseCommand::hasGetOrCreateSchema,
                (c, m, in, end) -> GetOrCreateSchemaHandler.handle(c, m.getGetOrCreateSchema()),
                Type.GET_OR_CREATE_SCHEMA_RESPONSE);
        add(
                Type.PRODUCER,
                ProducerHandler.class,
                BaseCommand::hasProducer,
                (c, m, in, end) -> ProducerHandler.handle(c, m.getProducer()),
                Type.PRODUCER_SUCCESS,
                Type.ERROR);
        add(
                Type.CLOSE_PRODUCER,
                CloseProducerHandler.class,
                BaseCommand::hasCloseProducer,
                (c, m, in, end) -> CloseProducerHandler.handle(c, m.getCloseProducer()),
                Type.SUCCESS);
        add(
                Type.SUBSCRIBE,
                SubscribeHandler.class,
                BaseCommand::hasSubscribe,
                (c, m, in, end) -> SubscribeHandler.handle(c, m.getSubscribe()),
                Type.SUCCESS,
                Type.ACTIVE_CONSUMER_CHANGE,
                Type.REACHED_END_OF_TOPIC,
                Type.ERROR);
        add(
                Type.UNSUBSCRIBE,
                UnsubscribeHandler.class,
                BaseCommand::hasUnsubscribe,
                (c, m, in, end) -> UnsubscribeHandler.handle(c, m.getUnsubscribe()),
                Type.SUCCESS,
                Type.CLOSE_CONSUMER,
                Type.ERROR);
        add(
                Type.CLOSE_CONSUMER,
                CloseConsumerHandler.class,
                BaseCommand::hasCloseConsumer,
                (c, m, in, end) -> CloseConsumerHandler.handle(c, m.getCloseConsumer()),
                Type.SUCCESS);
        add(
                Type.SEEK,
                SeekHandler.class,
                BaseCommand::hasSeek,
                (c, m, in, end) -> SeekHandler.handle(c, m.getSeek()),
                Type.SUCCESS,
                Type.CLOSE_CONSUMER,
                Type.ERROR);
        add(
                Type.GET_LAST_MESSAGE_ID,
                GetLastMessageIdHandler.class,
                BaseCommand::hasGetLastMessageId,
                (c, m, in, end) -> GetLastMessageIdHandler.handle(c, m.getGetLastMessageId()),
                Type.GET_LAST_MESSAGE_ID_RESPONSE,
                Type.ERROR);
        add(
                Type.CONSUMER_STATS,
                ConsumerStatsHandler.class,
                BaseCommand::hasConsumerStats,
                (c, m, in, end) -> ConsumerStatsHandler.handle(c, m.getConsumerStats()),
                Type.CONSUMER_STATS_RESPONSE,
                Type.ERROR);
        add(
                Type.SCALABLE_TOPIC_LOOKUP,
                ScalableLookupHandler.class,
                BaseCommand::hasScalableTopicLookup,
                (c, m, in, end) -> ScalableLookupHandler.handle(c, m.getScalableTopicLookup()),
                Type.SCALABLE_TOPIC_UPDATE);
        add(
                Type.SCALABLE_TOPIC_CLOSE,
                ScalableLookupHandler.class,
                BaseCommand::hasScalableTopicClose,
                (c, m, in, end) -> ScalableLookupHandler.handle(c, m.getScalableTopicClose()));
        add(
                Type.SCALABLE_TOPIC_SUBSCRIBE,
                StreamSubscribeHandler.class,
                BaseCommand::hasScalableTopicSubscribe,
                (c, m, in, end) -> StreamSubscribeHandler.handle(c, m.getScalableTopicSubscribe()),
                Type.SCALABLE_TOPIC_SUBSCRIBE_RESPONSE,
                Type.SCALABLE_TOPIC_ASSIGNMENT_UPDATE);
        add(
                Type.TC_CLIENT_CONNECT_REQUEST,
                TcClientConnectHandler.class,
                BaseCommand::hasTcClientConnectRequest,
                (c, m, in, end) -> TcClientConnectHandler.handle(c, m.getTcClientConnectRequest()),
                Type.TC_CLIENT_CONNECT_RESPONSE);
        add(
                Type.WATCH_TC_ASSIGNMENTS,
                CoordinatorWatchHandler.class,
                BaseCommand::hasWatchTcAssignments,
                (c, m, in, end) -> CoordinatorWatchHandler.handle(c, m.getWatchTcAssignments()),
                Type.WATCH_TC_ASSIGNMENTS_UPDATE);
        add(
                Type.WATCH_TC_ASSIGNMENTS_CLOSE,
                CoordinatorWatchHandler.class,
                BaseCommand::hasWatchTcAssignmentsClose,
                (c, m, in, end) -> CoordinatorWatchHandler.handle(c, m.getWatchTcAssignmentsClose()));
        add(
                Type.NEW_TXN,
                NewTxnHandler.class,
                BaseCommand::hasNewTxn,
                (c, m, in, end) -> NewTxnHandler.handle(c, m.getNewTxn()),
                Type.NEW_TXN_RESPONSE);
        add(
                Type.ADD_PARTITION_TO_TXN,
                AddPartitionToTxnHandler.class,
                BaseCommand::hasAddPartitionToTxn,
                (c, m, in, end) -> AddPartitionToTxnHandler.handle(c, m.getAddPartitionToTxn()),
                Type.ADD_PARTITION_TO_TXN_RESPONSE);
        add(
                Type.END_TXN,
                EndTxnHandler.class,
                BaseCommand::hasEndTxn,
                (c, m, in, end) -> EndTxnHandler.handle(c, m.getEndTxn()),
                Type.END_TXN_RESPONSE);
        add(
                Type.ADD_SUBSCRIPTION_TO_TXN,
                AddSubscriptionToTxnHandler.class,
                BaseCommand::hasAddSubscriptionToTxn,
                (c, m, in, end) -> AddSubscriptionToTxnHandler.handle(c, m.getAddSubscriptionToTxn()),
                Type.ADD_SUBSCRIPTION_TO_TXN_RESPONSE);
        add(
                Type.WATCH_TOPIC_LIST,
                TopicListWatchHandler.class,
                BaseCommand::hasWatchTopicList,
                (c, m, in, end) -> TopicListWatchHandler.handle(c, m.getWatchTopicList()),
                Type.WATCH_TOPIC_LIST_SUCCESS,
                Type.WATCH_TOPIC_UPDATE,
                Type.ERROR);
        add(
                Type.WATCH_TOPIC_LIST_CLOSE,
                TopicListWatchHandler.class,
                BaseCommand::hasWatchTopicListClose,
                (c, m, in, end) -> TopicListWatchHandler.handle(c, m.getWatchTopicListClose()),
                Type.SUCCESS);
        add(
                Type.WATCH_SCALABLE_TOPICS,
                UnsupportedHandler.class,
                BaseCommand::hasWatchScalableTopics,
                (c, m, in, end) -> UnsupportedHandler.handle(c, m),
                Type.WATCH_SCALABLE_TOPICS_UPDATE);
        add(Type.PING, Commander.class, any -> true, (c, m, in, end) -> c.send(Commands.newPong()), Type.PONG);
        // being heard is all
        add(Type.PONG, Commander.class, any -> true, (c, m, in, end) -> {});
        add(Type.WATCH_SCALABLE_TOPICS_CLOSE, Commander.class, any -> true, (c, m, in, end) -> {});
    }
}
