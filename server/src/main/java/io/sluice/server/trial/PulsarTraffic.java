package io.sluice.server.trial;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.apache.pulsar.common.api.proto.BaseCommand;
import org.apache.pulsar.common.api.proto.CommandAck.AckType;
import org.apache.pulsar.common.api.proto.CommandMessage;
import org.apache.pulsar.common.api.proto.CommandSubscribe.InitialPosition;
import org.apache.pulsar.common.api.proto.CommandSubscribe.SubType;
import org.apache.pulsar.common.api.proto.MessageMetadata;
import org.apache.pulsar.common.api.proto.SingleMessageMetadata;
import org.apache.pulsar.common.protocol.ByteBufPair;
import org.apache.pulsar.common.protocol.Commands;
import org.apache.pulsar.common.protocol.Commands.ChecksumType;

/**
 * Messages in and out over the Pulsar protocol, as many as the server takes: a topic for each type of subscription, with one
 * producer and one consumer. Pulsar's client is not on the server's class path, so frames are made of Pulsar's command classes.
 *
 * <p>One thread writes all, another one only reads: if the reader waited for room to write, the server would wait for the reader.
 */
public final class PulsarTraffic {
    private static final SubType[] TYPES = SubType.values();

    /** Messages of a frame, and bytes of each: a large batch, a small one, a message without a batch. */
    private static final int[][] SHAPES = {{1_000, 100}, {64, 1_024}, {1, 16_384}};

    /** Frames of one shape in a row. */
    private static final int BURST = 500;

    private static final int UNANSWERED = 500;
    private static final int PERMITS = 100_000;
    private static final Duration PATIENCE = Duration.ofSeconds(15);

    private final PulsarStream connection;
    private final Queue<ByteBuf> replies = new ConcurrentLinkedQueue<>();
    private final AtomicInteger receipts = new AtomicInteger();
    private final AtomicInteger deliveries = new AtomicInteger();
    private volatile String end = "";

    private PulsarTraffic(PulsarStream connection) {
        this.connection = connection;
    }

    /**
     * Subscribes from the start of each topic, sends for a while, and waits until all is answered and as much is delivered.
     *
     * @param service {@code host:port}
     * @param subscription a new one reads everything again
     * @throws IOException the server did less, or took longer than 15 s for it
     */
    public static void run(String service, String subscription, Duration load) throws IOException {
        try (var connection = PulsarStream.connect(service)) {
            for (int id = 0; id < TYPES.length; id++) {
                String topic =
                        "persistent://public/default/train-" + TYPES[id].name().toLowerCase(Locale.ROOT);
                connection.ask(subscribe(topic, subscription, id));
                connection.ask(Commands.newProducer(topic, id, 1, subscription + "-" + id, Map.of(), false));
            }
            for (int id = 0; id < TYPES.length; id++) {
                connection.send(Commands.newFlow(id, PERMITS));
            }
            var traffic = new PulsarTraffic(connection);
            Thread.ofPlatform().daemon().start(traffic::read);
            int sent = traffic.send(subscription, load);
            traffic.awaitReceipts(sent);
            traffic.awaitDeliveries(sent);
        }
    }

    private static ByteBuf subscribe(String topic, String subscription, int id) {
        return Commands.newSubscribe(
                topic,
                subscription,
                id,
                1,
                TYPES[id],
                0,
                subscription,
                true,
                null,
                Map.of(),
                false,
                false,
                InitialPosition.Earliest,
                0,
                null,
                true);
    }

    /** @return frames sent */
    private int send(String producer, Duration load) throws IOException {
        ByteBuf[] payloads = new ByteBuf[SHAPES.length];
        for (int shape = 0; shape < SHAPES.length; shape++) {
            payloads[shape] = payload(SHAPES[shape][0], SHAPES[shape][1]);
        }
        int sent = 0;
        for (long stop = System.nanoTime() + load.toNanos(); System.nanoTime() < stop; sent++) {
            int shape = sent / BURST % SHAPES.length;
            int id = sent % TYPES.length;
            int messages = SHAPES[shape][0];
            var metadata = new MessageMetadata()
                    .setProducerName(producer + "-" + id)
                    .setSequenceId(sent)
                    .setPublishTime(System.currentTimeMillis());
            if (messages > 1) {
                metadata.setNumMessagesInBatch(messages);
            }
            awaitReceipts(sent - UNANSWERED);
            reply();
            ByteBufPair frame = Commands.newSend(
                    id, sent, messages, ChecksumType.Crc32c, metadata, payloads[shape].retainedDuplicate());
            connection.send(Unpooled.copiedBuffer(frame.getFirst(), frame.getSecond()));
            frame.release();
        }
        return sent;
    }

    private static ByteBuf payload(int messages, int size) {
        ByteBuf value = Unpooled.wrappedBuffer(new byte[size]);
        if (messages == 1) {
            return value;
        }
        ByteBuf batch = Unpooled.buffer(messages * (size + 32));
        for (int i = 0; i < messages; i++) {
            var metadata = new SingleMessageMetadata().setPartitionKey(Integer.toString(i % 100));
            Commands.serializeSingleMessageInBatchWithPayload(metadata, value.duplicate(), batch);
        }
        return batch;
    }

    private void awaitReceipts(int wanted) throws IOException {
        await(receipts, wanted, "receipts");
    }

    private void awaitDeliveries(int wanted) throws IOException {
        await(deliveries, wanted, "deliveries");
    }

    private void await(AtomicInteger count, int wanted, String counted) throws IOException {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (count.get() < wanted) {
            reply();
            if (!end.isEmpty() || System.nanoTime() > deadline) {
                throw new IOException("%d %s of %d %s".formatted(count.get(), counted, wanted, end));
            }
            LockSupport.parkNanos(100_000);
        }
    }

    private void reply() throws IOException {
        for (ByteBuf reply = replies.poll(); reply != null; reply = replies.poll()) {
            connection.send(reply);
        }
    }

    /** Has what is delivered acknowledged and asks for as much again, until the connection ends. */
    private void read() {
        try {
            while (true) {
                BaseCommand command = connection.next();
                switch (command.getType()) {
                    case SEND_RECEIPT -> receipts.incrementAndGet();
                    case MESSAGE -> {
                        CommandMessage message = command.getMessage();
                        long consumer = message.getConsumerId();
                        long ledger = message.getMessageId().getLedgerId();
                        long entry = message.getMessageId().getEntryId();
                        replies.add(
                                Commands.newAck(consumer, ledger, entry, null, AckType.Individual, null, Map.of(), -1));
                        replies.add(Commands.newFlow(consumer, SHAPES[0][0]));
                        deliveries.incrementAndGet();
                    }
                    case PING -> replies.add(Commands.newPong());
                    case ACTIVE_CONSUMER_CHANGE -> {}
                    default -> throw new IOException("unexpected: " + command.getType());
                }
            }
        } catch (IOException e) {
            end = e.toString();
        }
    }
}
