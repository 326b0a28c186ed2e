package io.sluice.pulsar.websocket;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import org.apache.pulsar.client.api.HashingScheme;
import org.apache.pulsar.client.api.ProducerAccessMode;
import org.apache.pulsar.common.api.proto.BaseCommand;
import org.apache.pulsar.common.api.proto.CommandMessage;
import org.apache.pulsar.common.api.proto.CommandProducerSuccess;
import org.apache.pulsar.common.api.proto.CommandSendReceipt;
import org.apache.pulsar.common.api.proto.MessageIdData;
import org.apache.pulsar.common.api.proto.ServerError;
import org.apache.pulsar.common.protocol.ByteBufPair;
import org.apache.pulsar.common.protocol.Commands;
import org.apache.pulsar.common.util.Murmur3_32Hash;
import org.jspecify.annotations.Nullable;

/**
 * A producer over WebSocket: one producer of the gateway for each partition, by its number. Each message is answered, those of one partition in the
 * order in which they came. The gateway bounds what is not answered, and the client is not read at that bound.
 */
final class ProducerSocket extends Socket {
    /** Errors by Pulsar's numbers. */
    private static final int NOT_JSON = 3;

    private static final int BAD_PAYLOAD = 7;
    private static final int FAILED = 8;
    /** Between two looks for messages that have waited too long, in milliseconds. */
    private static final long TIMEOUT_LOOK = 500;

    private final ProducerSettings settings;
    private final int maxMessageBytes;
    private final List<PartitionOfProducer> partitions = new ArrayList<>();
    private int single;
    private @Nullable Future<?> looking;

    ProducerSocket(Links links, ProducerSettings settings, int maxMessageBytes) {
        super(links);
        this.settings = settings;
        this.maxMessageBytes = maxMessageBytes;
    }

    /** Messages that are sent as one, and what their client called them. */
    private record Sent(long sequenceId, long at, List<@Nullable String> contexts) {}

    private static final class PartitionOfProducer {
        private final GatewayLink link;
        private final Queue<Sent> sent = new ArrayDeque<>();
        private @Nullable MessageBatch batch;
        private @Nullable Future<?> flush;
        private long nextSequenceId;
        private String producer = "";

        PartitionOfProducer(GatewayLink link) {
            this.link = link;
        }
    }

    // ---- handshake

    @Override
    void attach(List<String> topics, List<GatewayLink> links, Attached then) {
        links.forEach(each -> partitions.add(new PartitionOfProducer(each)));
        single = ThreadLocalRandom.current().nextInt(topics.size());
        // the first gets a name, which all have
        attach(topics.getFirst(), 0, settings.name(), new Attached() {
            @Override
            public void attached() {
                if (topics.size() == 1) {
                    then.attached();
                    return;
                }
                All all = new All(topics.size() - 1, then);
                for (int i = 1; i < topics.size(); i++) {
                    attach(topics.get(i), i, partitions.getFirst().producer, all);
                }
            }

            @Override
            public void refused(int status, String why) {
                then.refused(status, why);
            }
        });
    }

    private void attach(String topic, int producer, @Nullable String name, Attached then) {
        attach(topic, producer, name, answer(producer, then));
    }

    private void attach(String topic, int producer, @Nullable String name, GatewayLink.Answer answer) {
        partitions
                .get(producer)
                .link
                .ask(
                        request -> Commands.newProducer(
                                topic,
                                producer,
                                request,
                                name,
                                false,
                                Map.of(),
                                null,
                                0,
                                settings.name() != null,
                                ProducerAccessMode.Shared,
                                Optional.empty(),
                                false),
                        answer);
    }

    private GatewayLink.Answer answer(int producer, Attached then) {
        return new GatewayLink.Answer() {
            @Override
            public void done(BaseCommand command) {
                opened(partitions.get(producer), command.getProducerSuccess());
                then.attached();
            }

            @Override
            public void refused(ServerError error, String message) {
                then.refused(HandshakeErrors.status(error), message);
            }
        };
    }

    private void opened(PartitionOfProducer partition, CommandProducerSuccess success) {
        partition.producer = success.getProducerName();
        Long initial = settings.initialSequenceId();
        partition.nextSequenceId = 1 + (initial == null ? success.getLastSequenceId() : initial);
    }

    @Override
    void started() {
        if (settings.sendTimeout() > 0) {
            looking = schedule(this::lookForTimeouts, TIMEOUT_LOOK);
        }
    }

    // ---- from the client

    @Override
    void text(String text) {
        if (isStopped()) {
            return;
        }
        SocketJson.Message message;
        try {
            message = SocketJson.parse(text, SocketJson.Message.class);
        } catch (BadRequestException e) {
            fail(NOT_JSON, String.valueOf(e.getMessage()), null);
            return;
        }
        try {
            send(OutgoingMessage.of(message, System.currentTimeMillis()));
        } catch (BadRequestException e) {
            fail(BAD_PAYLOAD, String.valueOf(e.getMessage()), message.context());
        }
    }

    private void send(OutgoingMessage message) {
        if (message.bytes() > maxMessageBytes) {
            fail(
                    FAILED,
                    "The message has " + message.bytes() + " bytes, and may have " + maxMessageBytes,
                    message.context());
            return;
        }
        int producer = partitionOf(message);
        PartitionOfProducer partition = partitions.get(producer);
        if (settings.batch() == 1 || message.isDelayed() || message.sequenceId() > 0) {
            flush(producer);
            long sequenceId = message.sequenceId() > 0 ? message.sequenceId() : partition.nextSequenceId;
            partition.nextSequenceId = Math.max(partition.nextSequenceId, sequenceId + 1);
            send(
                    producer,
                    sequenceId,
                    1,
                    message.entry(partition.producer, sequenceId, settings.compression()),
                    List.of(message));
            return;
        }
        if (partition.batch != null && !partition.batch.hasRoom(message, maxMessageBytes)) {
            flush(producer);
        }
        if (partition.batch == null) {
            partition.batch = new MessageBatch();
            partition.flush = schedule(() -> flush(producer), settings.batchDelay());
        }
        partition.batch.add(message, partition.nextSequenceId++);
        if (partition.batch.size() >= settings.batch()) {
            flush(producer);
        }
    }

    private int partitionOf(OutgoingMessage message) {
        int count = partitions.size();
        if (count == 1) {
            return 0;
        }
        String key = message.key();
        if (key != null) {
            return hash(key) % count;
        }
        if (settings.roundRobin()) {
            single = (single + 1) % count;
        }
        return single;
    }

    private int hash(String key) {
        return settings.hashing() == HashingScheme.Murmur3_32Hash
                ? Murmur3_32Hash.getInstance().makeHash(key.getBytes(StandardCharsets.UTF_8)) & Integer.MAX_VALUE
                : key.hashCode() & Integer.MAX_VALUE;
    }

    private void flush(int producer) {
        PartitionOfProducer partition = partitions.get(producer);
        MessageBatch batch = partition.batch;
        if (batch == null || isStopped()) {
            return;
        }
        partition.batch = null;
        if (partition.flush != null) {
            partition.flush.cancel(false);
        }
        send(
                producer,
                batch.sequenceId(),
                batch.size(),
                batch.entry(partition.producer, settings.compression()),
                batch.messages());
    }

    private void send(
            int producer, long sequenceId, int messages, OutgoingMessage.Entry entry, Collection<OutgoingMessage> of) {
        List<@Nullable String> contexts = new ArrayList<>();
        of.forEach(each -> contexts.add(each.context()));
        partitions.get(producer).sent.add(new Sent(sequenceId, System.nanoTime(), contexts));
        ByteBuf payload = Unpooled.wrappedBuffer(entry.payload());
        ByteBufPair command = Commands.newSend(
                producer,
                sequenceId,
                messages > 1 ? sequenceId + messages - 1 : sequenceId,
                messages,
                Commands.ChecksumType.None,
                entry.metadata(),
                payload);
        partitions.get(producer).link.send(ByteBufPair.coalesce(command));
    }

    // ---- to the client

    private void fail(int code, String why, @Nullable String context) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("result", "send-error:" + code);
        fields.put("errorMsg", why);
        answer(fields, context);
    }

    private void succeed(String messageId, @Nullable String context) {
        Map<String, Object> fields = new LinkedHashMap<>();
        fields.put("result", "ok");
        fields.put("messageId", messageId);
        answer(fields, context);
    }

    private void answer(Map<String, Object> fields, @Nullable String context) {
        if (context != null) {
            fields.put("context", context);
        }
        fields.put("errorCode", 0);
        fields.put("schemaVersion", 0);
        say(SocketJson.write(fields));
    }

    @Override
    public void receipt(CommandSendReceipt receipt) {
        Sent sent = take((int) receipt.getProducerId(), receipt.getSequenceId());
        if (sent == null) {
            return;
        }
        MessageIdData id = receipt.getMessageId();
        int partition =
                partitions.size() > 1 ? (int) receipt.getProducerId() : id.hasPartition() ? id.getPartition() : -1;
        int messages = sent.contexts.size();
        for (int i = 0; i < messages; i++) {
            int index = messages > 1 ? i : -1;
            succeed(
                    MessageIdText.of(id.getLedgerId(), id.getEntryId(), partition, index, messages),
                    sent.contexts.get(i));
        }
    }

    @Override
    public void sendFailed(long producer, long sequenceId, ServerError error, String message) {
        Sent sent = take((int) producer, sequenceId);
        if (sent != null) {
            sent.contexts.forEach(context -> fail(FAILED, message, context));
        }
    }

    /** Null for what has been answered, since it waited too long. */
    private @Nullable Sent take(int producer, long sequenceId) {
        Queue<Sent> waiting = partitions.get(producer).sent;
        Sent first = waiting.peek();
        if (first == null || first.sequenceId != sequenceId) {
            return null;
        }
        return waiting.remove();
    }

    private void lookForTimeouts() {
        long now = System.nanoTime();
        for (PartitionOfProducer each : partitions) {
            for (Sent first = each.sent.peek(); first != null && isLate(first, now); first = each.sent.peek()) {
                each.sent
                        .remove()
                        .contexts
                        .forEach(context -> fail(
                                FAILED,
                                "The message was not stored within " + settings.sendTimeout() + " milliseconds",
                                context));
            }
        }
        looking = schedule(this::lookForTimeouts, TIMEOUT_LOOK);
    }

    private boolean isLate(Sent sent, long now) {
        return TimeUnit.NANOSECONDS.toMillis(now - sent.at) > settings.sendTimeout();
    }

    @Override
    public void message(CommandMessage message, ByteBuf content) {
        throw new IllegalStateException("a producer gets no messages");
    }

    @Override
    public void endOfTopic(long consumer) {
        throw new IllegalStateException("a producer reads nothing");
    }

    @Override
    void stopped() {
        if (looking != null) {
            looking.cancel(false);
        }
        for (PartitionOfProducer each : partitions) {
            if (each.flush != null) {
                each.flush.cancel(false);
            }
        }
    }
}
