package io.sluice.pulsar.websocket;

import io.netty.buffer.ByteBuf;
import java.util.ArrayDeque;
import java.util.BitSet;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.apache.pulsar.common.api.proto.BaseCommand;
import org.apache.pulsar.common.api.proto.CommandAck.AckType;
import org.apache.pulsar.common.api.proto.CommandAck.ValidationError;
import org.apache.pulsar.common.api.proto.CommandMessage;
import org.apache.pulsar.common.api.proto.CommandSendReceipt;
import org.apache.pulsar.common.api.proto.CommandSubscribe.InitialPosition;
import org.apache.pulsar.common.api.proto.MessageIdData;
import org.apache.pulsar.common.api.proto.ServerError;
import org.apache.pulsar.common.protocol.Commands;
import org.apache.pulsar.common.util.collections.BitSetRecyclable;
import org.jspecify.annotations.Nullable;

/**
 * A consumer or a reader over WebSocket: one consumer of the gateway for each partition, by its number.
 *
 * <p>The client has a window of messages, and each of its acknowledgements, whether of a message or not, makes room for one more; in pull mode it
 * says how many it wants. The gateway gets permits for as many, so that at most the rest of one batch of each partition waits here.
 */
final class ConsumerSocket extends Socket {
    /** Asked for at a time in pull mode; more is asked for when these have come. */
    private static final int PULLED = 1_000;
    /** With so much that waits here nothing more is taken from the gateway, which has a bound for it. */
    private static final long WAITING_BYTES = 1 << 20;

    private static final String END_OF_TOPIC = "isEndOfTopic";

    private final ConsumerSettings settings;
    private final SocketMemory.Share memory;
    private final Redelivery redelivery;
    private final DeadLetters deadLetters;
    /** With messages that the client has not been sent. */
    private final Queue<DeliveredEntry> entries = new ArrayDeque<>();

    private final Set<Long> ended = new HashSet<>();
    /** By partition. */
    private List<GatewayLink> linked = List.of();

    private int partitions;
    /** Messages that the client may be sent. */
    private long wanted;
    /** Messages that the gateway may send, of each partition. */
    private int[] permitted = {};
    /** Messages of {@link #entries} that the client has not been sent, and bytes of these entries. */
    private int waiting;

    private long waitingBytes;

    ConsumerSocket(Links links, ConsumerSettings settings, String topic, SocketMemory.Share memory) {
        super(links);
        this.memory = memory;
        this.settings = settings;
        this.redelivery = new Redelivery(
                settings.ackTimeout(),
                settings.redeliveryDelay(),
                () -> TimeUnit.NANOSECONDS.toMillis(System.nanoTime()),
                this::schedule,
                (consumer, ids) -> link(consumer).send(Commands.newRedeliverUnacknowledgedMessages(consumer, ids)));
        this.deadLetters = new DeadLetters(
                links, settings.deadLetterTopic(), topic, settings.subscription(), new DeadLetters.Settled() {
                    @Override
                    public void stored(DeliveredMessage message) {
                        acknowledge(
                                message.consumer(),
                                message.ledger(),
                                message.entry(),
                                message.index(),
                                message.batchSize());
                        settled(message);
                    }

                    @Override
                    public void failed(DeliveredMessage message) {
                        redelivery.refused(message.consumer(), message.ledger(), message.entry());
                        settled(message);
                    }
                });
    }

    // ---- handshake

    @Override
    void attach(List<String> topics, List<GatewayLink> links, Attached then) {
        linked = links;
        partitions = topics.size();
        permitted = new int[partitions];
        All all = new All(topics.size(), then);
        for (int i = 0; i < topics.size(); i++) {
            int consumer = i;
            link(consumer).ask(request -> subscribe(topics.get(consumer), consumer, request), all);
        }
    }

    private GatewayLink link(long consumer) {
        return linked.get((int) consumer);
    }

    private ByteBuf subscribe(String topic, int consumer, long request) {
        return Commands.newSubscribe(
                topic,
                settings.subscription(),
                consumer,
                request,
                settings.type(),
                settings.priority(),
                settings.name(),
                settings.durable(),
                start(consumer),
                Map.of(),
                false,
                false,
                settings.earliest() ? InitialPosition.Earliest : InitialPosition.Latest,
                0,
                null,
                true);
    }

    /** Where a reader begins in a partition: at its first message, if the id is of another one. */
    private @Nullable MessageIdData start(int consumer) {
        MessageIdData start = settings.start();
        if (start == null) {
            return null;
        }
        boolean there = !start.hasPartition()
                || start.getPartition() < 0
                || partitions == 1
                || start.getPartition() == consumer;
        return there
                ? new MessageIdData().setLedgerId(start.getLedgerId()).setEntryId(start.getEntryId())
                : new MessageIdData().setLedgerId(-1).setEntryId(-1);
    }

    @Override
    void started() {
        if (!settings.pull()) {
            wanted = settings.window();
            permit();
        }
    }

    /** Lets partitions send what the client wants: each a part of it, since which of them have messages is not known. */
    private void permit() {
        long most = Math.min(wanted, settings.pull() ? PULLED : settings.window()) - waiting;
        if (most <= 0) {
            return;
        }
        int share = (int) Math.max(1, most / partitions);
        for (int i = 0; i < partitions; i++) {
            if (permitted[i] <= share / 2) {
                link(i).send(Commands.newFlow(i, share - permitted[i]));
                permitted[i] = share;
            }
        }
    }

    // ---- to the client

    @Override
    boolean hasRoom() {
        return waitingBytes < WAITING_BYTES;
    }

    @Override
    public void message(CommandMessage message, ByteBuf content) {
        int messages = 1;
        try {
            DeliveredEntry entry = new DeliveredEntry(message, content);
            messages = entry.unacknowledged();
            if (settings.maxRedeliveries() >= 0 && entry.redelivered() > settings.maxRedeliveries()) {
                bury(entry);
            } else if (isShown(entry)) {
                entries.add(entry);
                waiting += entry.left();
                waitingBytes += entry.bytes();
                if (!memory.take(entry.bytes())) {
                    restart("there is no memory for more messages now");
                    return;
                }
                redelivery.delivered(entry.consumer(), entry.ledger(), entry.entry(), entry.left());
            }
        } catch (UnreadableMessageException e) {
            discard(message);
        }
        int consumer = (int) message.getConsumerId();
        permitted[consumer] -= messages; // as the gateway counts, which sends a batch as a whole
        show();
    }

    private void bury(DeliveredEntry entry) throws UnreadableMessageException {
        while (!entry.isDone()) {
            DeliveredMessage message = entry.next();
            if (message != null) {
                waitingBytes += message.payload().length;
                if (!memory.take(message.payload().length)) {
                    restart("there is no memory for more messages now");
                    return;
                }
                deadLetters.send(message);
            }
        }
    }

    /** It is known what has become of a dead letter. */
    private void settled(DeliveredMessage message) {
        boolean full = !hasRoom();
        waitingBytes -= message.payload().length;
        memory.give(message.payload().length);
        if (full && hasRoom()) {
            links().resume();
        }
    }

    private boolean isShown(DeliveredEntry entry) {
        return !entry.isChunk() && (!entry.isEncrypted() || settings.showsEncrypted());
    }

    /** As Pulsar's client does with what it cannot read. */
    private void discard(CommandMessage message) {
        link(message.getConsumerId())
                .send(Commands.newAck(
                        message.getConsumerId(),
                        message.getMessageId().getLedgerId(),
                        message.getMessageId().getEntryId(),
                        null,
                        AckType.Individual,
                        ValidationError.BatchDeSerializeError,
                        Map.of(),
                        -1));
    }

    private void show() {
        boolean full = !hasRoom();
        while (wanted > 0 && !entries.isEmpty()) {
            DeliveredEntry entry = entries.element();
            int left = entry.left();
            try {
                DeliveredMessage message = entry.next();
                waiting--;
                if (message != null && !isBeforeStart(message)) {
                    say(entry.text(message));
                    wanted--;
                }
            } catch (UnreadableMessageException e) {
                waiting -= left;
                remove(entry);
                continue;
            }
            if (entry.isDone()) {
                remove(entry);
            }
        }
        permit();
        if (full && hasRoom()) {
            links().resume();
        }
    }

    private void remove(DeliveredEntry entry) {
        entries.remove();
        waitingBytes -= entry.bytes();
        memory.give(entry.bytes());
        if (settings.reader()) {
            passed(entry);
        }
    }

    /** Whether it is what a reader has read before: it begins behind the message that it names. */
    private boolean isBeforeStart(DeliveredMessage message) {
        MessageIdData start = settings.start();
        if (start == null || message.ledger() != start.getLedgerId() || message.entry() != start.getEntryId()) {
            return false;
        }
        return start.getBatchIndex() < 0 || message.index() <= start.getBatchIndex();
    }

    /** A reader is done with what it was sent, as Pulsar's is with what it has given to the application. */
    private void passed(DeliveredEntry entry) {
        link(entry.consumer())
                .send(Commands.newAck(
                        entry.consumer(), entry.ledger(), entry.entry(), null, AckType.Cumulative, null, Map.of(), -1));
    }

    // ---- from the client

    @Override
    void text(String text) {
        if (isStopped()) {
            return;
        }
        try {
            SocketJson.Command command = SocketJson.parse(text, SocketJson.Command.class);
            String type = command.type() == null ? "" : command.type();
            if (type.equals(END_OF_TOPIC)) {
                say(SocketJson.write(Map.of("endOfTopic", ended.size() == partitions)));
            } else if (settings.reader()) {
                handled();
            } else {
                carryOut(type, command);
            }
        } catch (BadRequestException e) {
            reject("Failed to de-serialize from JSON: " + e.getMessage());
        }
    }

    private void carryOut(String type, SocketJson.Command command) throws BadRequestException {
        switch (type) {
            case "permit" -> want(command.permitMessages());
            case "unsubscribe" -> unsubscribe();
            case "negativeAcknowledge" -> refuse(idOf(command));
            default -> acknowledge(idOf(command));
        }
    }

    private static MessageIdData idOf(SocketJson.Command command) throws BadRequestException {
        String id = command.messageId();
        if (id == null) {
            throw new BadRequestException("messageId is missing");
        }
        MessageIdData parsed = MessageIdText.parse(id);
        if (parsed.getBatchIndex() >= 0 && parsed.getBatchIndex() >= parsed.getBatchSize()) {
            throw new BadRequestException("not an id of a message that was delivered: " + id);
        }
        return parsed;
    }

    private void want(@Nullable Integer messages) throws BadRequestException {
        if (messages == null) {
            throw new BadRequestException("permitMessages is missing");
        }
        if (settings.pull()) {
            wanted = Math.clamp(wanted + messages, 0, Integer.MAX_VALUE);
            show();
        }
    }

    /** The client has done something with a message. */
    private void handled() {
        if (!settings.pull()) {
            wanted = Math.min(wanted + 1, settings.window());
            show();
        }
    }

    private void unsubscribe() {
        for (int i = 0; i < partitions; i++) {
            int consumer = i;
            link(consumer).ask(request -> Commands.newUnsubscribe(consumer, request, false), new GatewayLink.Answer() {
                @Override
                public void done(BaseCommand command) {
                    // as in Pulsar, nothing is said
                }

                @Override
                public void refused(ServerError error, String message) {
                    reject("Failed to unsubscribe: " + message);
                }
            });
        }
    }

    /** Consumer of the partition that the id names; -1 if there is none. */
    private long consumerOf(MessageIdData id) {
        if (partitions == 1) {
            return 0;
        }
        int partition = id.hasPartition() ? id.getPartition() : -1;
        return partition < partitions ? partition : -1;
    }

    private void acknowledge(MessageIdData id) {
        long consumer = consumerOf(id);
        if (consumer >= 0) {
            acknowledge(consumer, id.getLedgerId(), id.getEntryId(), id.getBatchIndex(), id.getBatchSize());
        }
        handled();
    }

    /** @param index in its batch; -1 for a message that is in none */
    private void acknowledge(long consumer, long ledger, long entry, int index, int batchSize) {
        redelivery.acknowledged(consumer, ledger, entry, index);
        link(consumer)
                .send(Commands.newAck(
                        consumer,
                        ledger,
                        entry,
                        index < 0 ? null : others(index, batchSize),
                        AckType.Individual,
                        null,
                        Map.of(),
                        -1));
    }

    /** Ack set that acknowledges one message of a batch. */
    private static BitSetRecyclable others(int index, int size) {
        BitSet others = new BitSet(size);
        others.set(0, size);
        others.clear(index);
        return BitSetRecyclable.valueOf(others.toLongArray());
    }

    private void refuse(MessageIdData id) {
        long consumer = consumerOf(id);
        if (consumer >= 0) {
            redelivery.refused(consumer, id.getLedgerId(), id.getEntryId());
        }
        handled();
    }

    // ---- from the gateway

    @Override
    public void endOfTopic(long consumer) {
        ended.add(consumer);
    }

    @Override
    public void receipt(CommandSendReceipt receipt) {
        deadLetters.receipt(receipt);
    }

    @Override
    public void sendFailed(long producer, long sequenceId, ServerError error, String message) {
        deadLetters.sendFailed(sequenceId);
    }

    @Override
    void stopped() {
        redelivery.stop();
        entries.clear();
    }
}
