package io.sluice.pulsar.websocket;

import io.netty.buffer.Unpooled;
import io.sluice.broker.access.Operation;
import io.sluice.broker.topic.PulsarNames;
import io.sluice.broker.topic.PulsarNames.Parsed;
import io.sluice.broker.topic.TopicException;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Queue;
import org.apache.pulsar.client.api.CompressionType;
import org.apache.pulsar.client.api.ProducerAccessMode;
import org.apache.pulsar.common.api.proto.BaseCommand;
import org.apache.pulsar.common.api.proto.CommandSendReceipt;
import org.apache.pulsar.common.api.proto.ServerError;
import org.apache.pulsar.common.protocol.ByteBufPair;
import org.apache.pulsar.common.protocol.Commands;
import org.jspecify.annotations.Nullable;

/**
 * Messages that a consumer has given back too often go to another topic, with where they come from in Pulsar's properties. The producer is made with the
 * first of them, with the rights of the consumer's client. One that cannot be sent comes again to its subscription. One thread.
 */
final class DeadLetters {
    /** Id of the only producer of its connection. */
    private static final long PRODUCER = 0;

    private final Links links;
    private final String topic;
    private final String from;
    private final String subscription;
    private final Settled settled;
    /** That wait for the producer. */
    private final Queue<DeliveredMessage> waiting = new ArrayDeque<>();

    private final Map<Long, DeliveredMessage> sent = new HashMap<>();
    private @Nullable String producer;
    private @Nullable GatewayLink link;
    private boolean opening;
    private long sequenceId;

    /** Told what has become of a message. */
    interface Settled {
        void stored(DeliveredMessage message);

        void failed(DeliveredMessage message);
    }

    /**
     * @param topic to send to
     * @param from topic of the consumer
     */
    DeadLetters(Links links, String topic, String from, String subscription, Settled settled) {
        this.links = links;
        this.topic = topic;
        this.from = from;
        this.subscription = subscription;
        this.settled = settled;
    }

    void send(DeliveredMessage message) {
        if (producer != null) {
            publish(message, producer);
            return;
        }
        waiting.add(message);
        if (!opening) {
            opening = true;
            links.here().ask(request -> Commands.newPartitionMetadataRequest(topic, request, true), new Opened() {
                @Override
                public void done(BaseCommand command) {
                    int partitions = command.getPartitionMetadataResponse().getPartitions();
                    place(partitions == 0 ? topic : topic + "-partition-0");
                }
            });
        }
    }

    private abstract class Opened implements GatewayLink.Answer {
        @Override
        public void refused(ServerError error, String message) {
            fail();
        }
    }

    private void fail() {
        opening = false;
        for (DeliveredMessage each = waiting.poll(); each != null; each = waiting.poll()) {
            settled.failed(each);
        }
    }

    private void place(String at) {
        boolean persistent = !at.startsWith("non-persistent://");
        Parsed name;
        try {
            name = persistent ? PulsarNames.parse(at) : PulsarNames.parseNonPersistent(at);
        } catch (TopicException e) {
            fail();
            return;
        }
        links.place(List.of(name), persistent, Operation.WRITE, new Links.Placed() {
            @Override
            public void placed(List<GatewayLink> found) {
                link = found.getFirst();
                open(found.getFirst(), at);
            }

            @Override
            public void refused(int status, String why) {
                fail();
            }
        });
    }

    private void open(GatewayLink to, String at) {
        to.ask(
                request -> Commands.newProducer(
                        at,
                        PRODUCER,
                        request,
                        null,
                        false,
                        Map.of(),
                        null,
                        0,
                        false,
                        ProducerAccessMode.Shared,
                        Optional.empty(),
                        false),
                new Opened() {
                    @Override
                    public void done(BaseCommand command) {
                        opening = false;
                        String name = command.getProducerSuccess().getProducerName();
                        producer = name;
                        for (DeliveredMessage each = waiting.poll(); each != null; each = waiting.poll()) {
                            publish(each, name);
                        }
                    }
                });
    }

    private void publish(DeliveredMessage message, String name) {
        Map<String, String> properties = new LinkedHashMap<>(message.properties());
        properties.putIfAbsent("REAL_TOPIC", from);
        properties.putIfAbsent("REAL_SUBSCRIPTION", subscription);
        properties.putIfAbsent("ORIGIN_MESSAGE_ID", message.originId());
        var letter = new OutgoingMessage(
                message.payload(), properties, null, message.key(), List.of(), message.eventTime(), 0, 0);
        OutgoingMessage.Entry entry = letter.entry(name, sequenceId, CompressionType.NONE);
        sent.put(sequenceId, message);
        Objects.requireNonNull(link)
                .send(ByteBufPair.coalesce(Commands.newSend(
                        PRODUCER,
                        sequenceId,
                        1,
                        Commands.ChecksumType.None,
                        entry.metadata(),
                        Unpooled.wrappedBuffer(entry.payload()))));
        sequenceId++;
    }

    void receipt(CommandSendReceipt receipt) {
        DeliveredMessage message = sent.remove(receipt.getSequenceId());
        if (message != null) {
            settled.stored(message);
        }
    }

    void sendFailed(long sequenceId) {
        DeliveredMessage message = sent.remove(sequenceId);
        if (message != null) {
            settled.failed(message);
        }
    }
}
