package io.sluice.pulsar.fuzz;

import java.util.Random;
import org.apache.pulsar.client.api.transaction.TxnID;
import org.apache.pulsar.common.api.proto.BaseCommand;
import org.apache.pulsar.common.api.proto.BaseCommand.Type;
import org.apache.pulsar.common.api.proto.CommandAck;
import org.apache.pulsar.common.api.proto.CommandGetTopicsOfNamespace;
import org.apache.pulsar.common.api.proto.CommandProducer;
import org.apache.pulsar.common.api.proto.CommandSubscribe;
import org.apache.pulsar.common.api.proto.KeySharedMode;
import org.apache.pulsar.common.api.proto.ProducerAccessMode;
import org.apache.pulsar.common.api.proto.Schema;
import org.apache.pulsar.common.api.proto.TxnAction;

/** Valid commands of every type that a client sends. */
final class CommandMaker {
    private static final int PROTOCOL = 21;
    private static final String[] SCHEMAS = {
        "{\"type\":\"record\",\"name\":\"A\",\"fields\":[{\"name\":\"x\",\"type\":\"int\"}]}",
        "{\"type\":\"record\",\"name\":\"A\",\"fields\":[{\"name\":\"x\",\"type\":\"int\"},{\"name\":\"y\",\"type\":\"int\",\"default\":1}]}",
        "\"string\"",
        ""
    };

    private final Random random;
    private final PulsarKnown known;

    CommandMaker(Random random, PulsarKnown known) {
        this.random = random;
        this.known = known;
    }

    static BaseCommand connect() {
        BaseCommand command = new BaseCommand().setType(Type.CONNECT);
        command.setConnect().setClientVersion("fuzz").setAuthMethodName("none").setProtocolVersion(PROTOCOL);
        command.getConnect().setFeatureFlags().setSupportsBrokerEntryMetadata(true);
        return command;
    }

    /** @param method Pulsar's name of the way to log in */
    static BaseCommand connect(String method, byte[] shown) {
        BaseCommand command = connect();
        command.getConnect().setAuthMethodName(method).setAuthData(shown);
        return command;
    }

    static BaseCommand probe(long requestId) {
        BaseCommand command = new BaseCommand().setType(Type.PARTITIONED_METADATA);
        command.setPartitionMetadata()
                .setTopic("persistent://public/default/f0")
                .setRequestId(requestId);
        return command;
    }

    /** All but SEND, which has a message behind it. */
    BaseCommand command(Type type) {
        BaseCommand c = new BaseCommand().setType(type);
        switch (type) {
            case CONNECT -> c.copyFrom(connect());
            case PRODUCER -> producer(c.setProducer());
            case SUBSCRIBE -> subscribe(c.setSubscribe());
            case FLOW -> c.setFlow().setConsumerId(known.consumerId()).setMessagePermits(1 + random.nextInt(50));
            case ACK -> ack(c.setAck());
            case REDELIVER_UNACKNOWLEDGED_MESSAGES -> {
                var redeliver = c.setRedeliverUnacknowledgedMessages().setConsumerId(known.consumerId());
                for (int left = random.nextInt(3); left > 0; left--) {
                    known.fill(redeliver.addMessageId());
                }
            }
            case SEEK -> {
                var seek = c.setSeek().setConsumerId(known.consumerId()).setRequestId(known.nextRequest());
                if (random.nextBoolean()) {
                    known.fill(seek.setMessageId());
                } else {
                    seek.setMessagePublishTime(random.nextInt(3));
                }
            }
            case UNSUBSCRIBE ->
                c.setUnsubscribe().setConsumerId(known.consumerId()).setRequestId(known.nextRequest());
            case CLOSE_PRODUCER ->
                c.setCloseProducer().setProducerId(known.id()).setRequestId(known.nextRequest());
            case CLOSE_CONSUMER ->
                c.setCloseConsumer().setConsumerId(known.id()).setRequestId(known.nextRequest());
            case GET_LAST_MESSAGE_ID ->
                c.setGetLastMessageId().setConsumerId(known.consumerId()).setRequestId(known.nextRequest());
            case CONSUMER_STATS ->
                c.setConsumerStats().setConsumerId(known.consumerId()).setRequestId(known.nextRequest());
            case PING -> c.setPing();
            case PONG -> c.setPong();
            default -> lookup(c, type);
        }
        return c;
    }

    private void lookup(BaseCommand c, Type type) {
        switch (type) {
            case LOOKUP -> c.setLookupTopic().setTopic(known.topic()).setRequestId(known.nextRequest());
            case PARTITIONED_METADATA ->
                c.setPartitionMetadata().setTopic(known.topic()).setRequestId(known.nextRequest());
            case GET_TOPICS_OF_NAMESPACE ->
                c.setGetTopicsOfNamespace()
                        .setRequestId(known.nextRequest())
                        .setNamespace("public/default")
                        .setMode(CommandGetTopicsOfNamespace.Mode.PERSISTENT);
            case GET_SCHEMA -> {
                var get = c.setGetSchema().setRequestId(known.nextRequest()).setTopic(known.topic());
                if (random.nextBoolean()) {
                    get.setSchemaVersion(new byte[] {0, 0, 0, 0, 0, 0, 0, (byte) random.nextInt(3)});
                }
            }
            case GET_OR_CREATE_SCHEMA ->
                schema(c.setGetOrCreateSchema()
                        .setRequestId(known.nextRequest())
                        .setTopic(known.topic())
                        .setSchema());
            case AUTH_RESPONSE ->
                c.setAuthResponse().setProtocolVersion(PROTOCOL).setResponse().setAuthMethodName("none");
            case WATCH_TOPIC_LIST_CLOSE ->
                c.setWatchTopicListClose().setRequestId(known.nextRequest()).setWatcherId(1);
            case WATCH_TOPIC_LIST ->
                c.setWatchTopicList()
                        .setRequestId(known.nextRequest())
                        .setWatcherId(1)
                        .setNamespace("public/default")
                        .setTopicsPattern(".*");
            case WATCH_TC_ASSIGNMENTS -> c.setWatchTcAssignments().setWatchId(random.nextInt(12));
            case WATCH_TC_ASSIGNMENTS_CLOSE -> c.setWatchTcAssignmentsClose().setWatchId(random.nextInt(12));
            default -> transaction(c, type);
        }
    }

    private void transaction(BaseCommand c, Type type) {
        long request = known.nextRequest();
        TxnID transaction = known.transaction();
        switch (type) {
            case TC_CLIENT_CONNECT_REQUEST ->
                c.setTcClientConnectRequest().setRequestId(request).setTcId(random.nextInt(18));
            case NEW_TXN ->
                c.setNewTxn()
                        .setRequestId(request)
                        .setTxnTtlMillis(random.nextInt(500))
                        .setTcId(random.nextInt(17));
            case ADD_PARTITION_TO_TXN ->
                c.setAddPartitionToTxn()
                        .setRequestId(request)
                        .setTxnidLeastBits(transaction.getLeastSigBits())
                        .setTxnidMostBits(transaction.getMostSigBits())
                        .addPartition(known.topic());
            case ADD_SUBSCRIPTION_TO_TXN ->
                c.setAddSubscriptionToTxn()
                        .setRequestId(request)
                        .setTxnidLeastBits(transaction.getLeastSigBits())
                        .setTxnidMostBits(transaction.getMostSigBits())
                        .addSubscription()
                        .setTopic(known.topic())
                        .setSubscription(known.subscription());
            case END_TXN ->
                c.setEndTxn()
                        .setRequestId(request)
                        .setTxnidLeastBits(transaction.getLeastSigBits())
                        .setTxnidMostBits(transaction.getMostSigBits())
                        .setTxnAction(random.nextBoolean() ? TxnAction.COMMIT : TxnAction.ABORT);
            default -> throw new IllegalArgumentException("a client does not send " + type);
        }
    }

    private void producer(CommandProducer producer) {
        producer.setTopic(known.topic()).setProducerId(known.id()).setRequestId(known.nextRequest());
        if (random.nextInt(4) == 0) {
            producer.setProducerName("p" + random.nextInt(4)).setUserProvidedProducerName(true);
        }
        if (random.nextInt(5) == 0) {
            ProducerAccessMode[] modes = ProducerAccessMode.values();
            producer.setProducerAccessMode(modes[random.nextInt(modes.length)]);
        }
        if (random.nextInt(8) == 0) {
            producer.setTopicEpoch(random.nextInt(3));
        }
        if (random.nextInt(8) == 0) {
            schema(producer.setSchema());
        }
        if (random.nextInt(12) == 0) {
            producer.setInitialSubscriptionName(known.subscription());
        }
    }

    private void schema(Schema schema) {
        Schema.Type[] types = {
            Schema.Type.Json, Schema.Type.Avro, Schema.Type.String, Schema.Type.None, Schema.Type.KeyValue
        };
        schema.setName("n")
                .setType(types[random.nextInt(types.length)])
                .setSchemaData(
                        SCHEMAS[random.nextInt(SCHEMAS.length)].getBytes(java.nio.charset.StandardCharsets.UTF_8));
    }

    private void subscribe(CommandSubscribe subscribe) {
        CommandSubscribe.SubType[] types = CommandSubscribe.SubType.values();
        CommandSubscribe.SubType type = types[random.nextInt(types.length)];
        subscribe
                .setTopic(known.topic())
                .setSubscription(known.subscription())
                .setSubType(type)
                .setConsumerId(known.id())
                .setRequestId(known.nextRequest())
                .setInitialPosition(
                        random.nextBoolean()
                                ? CommandSubscribe.InitialPosition.Earliest
                                : CommandSubscribe.InitialPosition.Latest);
        if (random.nextInt(4) == 0) {
            subscribe.setDurable(false);
            known.fill(subscribe.setStartMessageId());
        }
        if (random.nextInt(4) == 0) {
            subscribe.setConsumerName("c" + random.nextInt(3)).setPriorityLevel(random.nextInt(3));
        }
        if (random.nextInt(8) == 0) {
            subscribe.addSubscriptionProperty().setKey("k").setValue("v");
            subscribe.addMetadata().setKey("m").setValue("v");
        }
        if (type == CommandSubscribe.SubType.Key_Shared && random.nextBoolean()) {
            boolean sticky = random.nextBoolean();
            var keys = subscribe
                    .setKeySharedMeta()
                    .setKeySharedMode(sticky ? KeySharedMode.STICKY : KeySharedMode.AUTO_SPLIT);
            if (sticky) {
                int from = random.nextInt(4) * 16_384;
                keys.addHashRange().setStart(from).setEnd(from + 16_383);
            }
        }
        if (random.nextInt(10) == 0) {
            schema(subscribe.setSchema());
        }
    }

    private void ack(CommandAck ack) {
        boolean cumulative = random.nextInt(4) == 0;
        ack.setConsumerId(known.consumerId())
                .setAckType(cumulative ? CommandAck.AckType.Cumulative : CommandAck.AckType.Individual);
        for (int left = cumulative ? 1 : 1 + random.nextInt(4); left > 0; left--) {
            known.fill(ack.addMessageId());
        }
        if (random.nextBoolean()) {
            ack.setRequestId(known.nextRequest());
        }
        if (random.nextInt(6) == 0) {
            TxnID transaction = known.transaction();
            ack.setTxnidLeastBits(transaction.getLeastSigBits()).setTxnidMostBits(transaction.getMostSigBits());
        }
    }
}
