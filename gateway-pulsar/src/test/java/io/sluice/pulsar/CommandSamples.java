package io.sluice.pulsar;

import org.apache.pulsar.common.api.proto.BaseCommand;
import org.apache.pulsar.common.api.proto.BaseCommand.Type;
import org.apache.pulsar.common.api.proto.CommandAck;
import org.apache.pulsar.common.api.proto.CommandSubscribe;
import org.apache.pulsar.common.api.proto.ScalableConsumerType;
import org.apache.pulsar.common.api.proto.Schema;
import org.apache.pulsar.common.api.proto.ServerError;
import org.apache.pulsar.common.api.proto.TxnAction;
import org.jspecify.annotations.Nullable;

/** A command of each type, and what answers say of errors. */
final class CommandSamples {
    private CommandSamples() {}

    /** One that a client may send; of other types one without fields. */
    static BaseCommand of(Type type, String topic) {
        BaseCommand c = new BaseCommand().setType(type);
        switch (type) {
            case PING -> c.setPing();
            case PONG -> c.setPong();
            case AUTH_RESPONSE -> c.setAuthResponse().setResponse().setAuthMethodName("none");
            case LOOKUP -> c.setLookupTopic().setTopic(topic).setRequestId(1);
            case PARTITIONED_METADATA ->
                c.setPartitionMetadata().setTopic(topic).setRequestId(1);
            case GET_TOPICS_OF_NAMESPACE ->
                c.setGetTopicsOfNamespace().setNamespace("public/default").setRequestId(1);
            case GET_SCHEMA -> c.setGetSchema().setTopic(topic).setRequestId(1);
            case GET_OR_CREATE_SCHEMA ->
                c.setGetOrCreateSchema()
                        .setTopic(topic)
                        .setRequestId(1)
                        .setSchema()
                        .setName("s")
                        .setSchemaData(new byte[0])
                        .setType(Schema.Type.String);
            case PRODUCER -> c.setProducer().setTopic(topic).setProducerId(1).setRequestId(1);
            case CLOSE_PRODUCER -> c.setCloseProducer().setProducerId(7).setRequestId(1);
            case SEND -> c.setSend().setProducerId(7).setSequenceId(1);
            case SUBSCRIBE ->
                c.setSubscribe()
                        .setTopic(topic)
                        .setSubscription("s")
                        .setSubType(CommandSubscribe.SubType.Exclusive)
                        .setConsumerId(1)
                        .setRequestId(1);
            case FLOW -> c.setFlow().setConsumerId(7).setMessagePermits(1);
            case ACK ->
                c.setAck()
                        .setConsumerId(7)
                        .setAckType(CommandAck.AckType.Individual)
                        .addMessageId()
                        .setLedgerId(0)
                        .setEntryId(0);
            case REDELIVER_UNACKNOWLEDGED_MESSAGES ->
                c.setRedeliverUnacknowledgedMessages().setConsumerId(7);
            case UNSUBSCRIBE -> c.setUnsubscribe().setConsumerId(7).setRequestId(1);
            case CLOSE_CONSUMER -> c.setCloseConsumer().setConsumerId(7).setRequestId(1);
            case SEEK -> c.setSeek().setConsumerId(7).setRequestId(1).setMessagePublishTime(0);
            case GET_LAST_MESSAGE_ID -> c.setGetLastMessageId().setConsumerId(7).setRequestId(1);
            case CONSUMER_STATS -> c.setConsumerStats().setConsumerId(7).setRequestId(1);
            case SCALABLE_TOPIC_LOOKUP ->
                c.setScalableTopicLookup().setSessionId(1).setTopic(topic);
            case SCALABLE_TOPIC_CLOSE -> c.setScalableTopicClose().setSessionId(7);
            case SCALABLE_TOPIC_SUBSCRIBE ->
                c.setScalableTopicSubscribe()
                        .setRequestId(1)
                        .setTopic(topic)
                        .setSubscription("s")
                        .setConsumerName("c")
                        .setConsumerId(1)
                        .setConsumerType(ScalableConsumerType.STREAM);
            case WATCH_SCALABLE_TOPICS ->
                c.setWatchScalableTopics().setWatchId(1).setNamespace("public/default");
            case WATCH_SCALABLE_TOPICS_CLOSE -> c.setWatchScalableTopicsClose().setWatchId(7);
            case WATCH_TOPIC_LIST ->
                c.setWatchTopicList()
                        .setRequestId(1)
                        .setWatcherId(1)
                        .setNamespace("public/default")
                        .setTopicsPattern(".*");
            case WATCH_TOPIC_LIST_CLOSE ->
                c.setWatchTopicListClose().setRequestId(1).setWatcherId(7);
            case TC_CLIENT_CONNECT_REQUEST ->
                c.setTcClientConnectRequest().setRequestId(1).setTcId(0);
            case WATCH_TC_ASSIGNMENTS -> c.setWatchTcAssignments().setWatchId(1);
            case WATCH_TC_ASSIGNMENTS_CLOSE -> c.setWatchTcAssignmentsClose().setWatchId(7);
            case NEW_TXN -> c.setNewTxn().setRequestId(1).setTxnTtlMillis(1_000).setTcId(0);
            case ADD_PARTITION_TO_TXN ->
                c.setAddPartitionToTxn()
                        .setRequestId(1)
                        .setTxnidMostBits(0)
                        .setTxnidLeastBits(9)
                        .addPartition(topic);
            case ADD_SUBSCRIPTION_TO_TXN ->
                c.setAddSubscriptionToTxn()
                        .setRequestId(1)
                        .setTxnidMostBits(0)
                        .setTxnidLeastBits(9)
                        .addSubscription()
                        .setTopic(topic)
                        .setSubscription("s");
            case END_TXN ->
                c.setEndTxn()
                        .setRequestId(1)
                        .setTxnidMostBits(0)
                        .setTxnidLeastBits(9)
                        .setTxnAction(TxnAction.ABORT);
            default -> {}
        }
        return c;
    }

    /** Null if the answer says of none. */
    static @Nullable ServerError errorOf(BaseCommand answer) {
        return switch (answer.getType()) {
            case ERROR -> answer.getError().getError();
            case LOOKUP_RESPONSE -> {
                var lookup = answer.getLookupTopicResponse();
                yield lookup.hasError() ? lookup.getError() : null;
            }
            case PARTITIONED_METADATA_RESPONSE -> {
                var metadata = answer.getPartitionMetadataResponse();
                yield metadata.hasError() ? metadata.getError() : null;
            }
            case GET_SCHEMA_RESPONSE -> {
                var schema = answer.getGetSchemaResponse();
                yield schema.hasErrorCode() ? schema.getErrorCode() : null;
            }
            case GET_OR_CREATE_SCHEMA_RESPONSE -> {
                var schema = answer.getGetOrCreateSchemaResponse();
                yield schema.hasErrorCode() ? schema.getErrorCode() : null;
            }
            case ADD_PARTITION_TO_TXN_RESPONSE -> {
                var added = answer.getAddPartitionToTxnResponse();
                yield added.hasError() ? added.getError() : null;
            }
            case ADD_SUBSCRIPTION_TO_TXN_RESPONSE -> {
                var added = answer.getAddSubscriptionToTxnResponse();
                yield added.hasError() ? added.getError() : null;
            }
            case WATCH_TC_ASSIGNMENTS_UPDATE -> {
                var update = answer.getWatchTcAssignmentsUpdate();
                yield update.hasError() ? update.getError() : null;
            }
            case SCALABLE_TOPIC_UPDATE -> {
                var update = answer.getScalableTopicUpdate();
                yield update.hasError() ? update.getError() : null;
            }
            case SCALABLE_TOPIC_SUBSCRIBE_RESPONSE -> {
                var subscribed = answer.getScalableTopicSubscribeResponse();
                yield subscribed.hasError() ? subscribed.getError() : null;
            }
            default -> null;
        };
    }
}
