package io.sluice.server.check;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.sluice.server.check.PulsarConnection.Answer;
import java.util.Arrays;
import java.util.Map;
import org.apache.pulsar.common.api.proto.BaseCommand;
import org.apache.pulsar.common.api.proto.CommandLookupTopicResponse;
import org.apache.pulsar.common.api.proto.CommandLookupTopicResponse.LookupType;
import org.apache.pulsar.common.api.proto.CommandSubscribe.SubType;
import org.apache.pulsar.common.api.proto.MessageMetadata;
import org.apache.pulsar.common.protocol.ByteBufPair;
import org.apache.pulsar.common.protocol.Commands;
import org.apache.pulsar.common.protocol.Commands.ChecksumType;

/**
 * One message to a topic and back, over the Pulsar protocol, as a client does it: the address that was given answers the
 * look-up, and the address of the answer does the rest. The topic is the caller's to make and delete.
 */
final class PulsarSession {
    private static final String SUBSCRIPTION = "sluice-check";
    private static final long ID = 1; // of the one producer, of the one consumer

    private PulsarSession() {}

    static void run(Address service, String topic, byte[] value, Credentials credentials, Deadline deadline)
            throws CheckException {
        Address owner = lookUp(service, topic, credentials, deadline);
        try (PulsarConnection broker = PulsarConnection.open(owner, credentials, deadline)) {
            broker.ask(
                    Commands.newSubscribe(topic, SUBSCRIPTION, ID, 1, SubType.Exclusive, 0, SUBSCRIPTION, 0),
                    BaseCommand.Type.SUCCESS);
            String producer = broker.ask(
                            Commands.newProducer(topic, ID, 2, null, Map.of(), false),
                            BaseCommand.Type.PRODUCER_SUCCESS)
                    .command()
                    .getProducerSuccess()
                    .getProducerName();
            broker.ask(message(producer, value), BaseCommand.Type.SEND_RECEIPT);
            Answer message = broker.ask(Commands.newFlow(ID, 1), BaseCommand.Type.MESSAGE);
            if (!Arrays.equals(payload(message.message()), value)) {
                throw new CheckException("Pulsar at " + service + " gave back another message than was sent");
            }
        }
    }

    private static Address lookUp(Address service, String topic, Credentials credentials, Deadline deadline)
            throws CheckException {
        try (PulsarConnection connection = PulsarConnection.open(service, credentials, deadline)) {
            CommandLookupTopicResponse found = connection
                    .ask(Commands.newLookup(topic, false, 1), BaseCommand.Type.LOOKUP_RESPONSE)
                    .command()
                    .getLookupTopicResponse();
            if (found.getResponse() == LookupType.Failed) {
                throw new CheckException(
                        "Pulsar at " + service + " does not find " + topic + ": " + found.getMessage());
            }
            return Address.parsePulsar(
                    "the address that Pulsar at " + service + " answers",
                    service.tls() ? found.getBrokerServiceUrlTls() : found.getBrokerServiceUrl());
        }
    }

    private static ByteBuf message(String producer, byte[] value) {
        MessageMetadata metadata = new MessageMetadata()
                .setProducerName(producer)
                .setSequenceId(0)
                .setPublishTime(System.currentTimeMillis());
        ByteBufPair pair = Commands.newSend(ID, 0, 1, ChecksumType.Crc32c, metadata, Unpooled.wrappedBuffer(value));
        ByteBuf frame = Unpooled.copiedBuffer(pair.getFirst(), pair.getSecond());
        pair.release();
        return frame;
    }

    private static byte[] payload(ByteBuf message) {
        Commands.parseMessageMetadata(message);
        return ByteBufUtil.getBytes(message);
    }
}
