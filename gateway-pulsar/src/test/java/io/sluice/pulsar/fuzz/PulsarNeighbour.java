package io.sluice.pulsar.fuzz;

import io.netty.buffer.Unpooled;
import io.sluice.testing.fuzz.WireClient;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.apache.pulsar.common.api.proto.BaseCommand;
import org.apache.pulsar.common.api.proto.BaseCommand.Type;
import org.apache.pulsar.common.api.proto.CommandAck;
import org.apache.pulsar.common.api.proto.CommandSubscribe;

/** A client that behaves: it publishes a message, receives and acknowledges it, and at last reads everything it published. */
final class PulsarNeighbour implements AutoCloseable {
    static final String TOPIC = "persistent://public/default/neighbour";
    private static final long ID = 1;
    private static final long READER = 2;
    private static final int PATIENCE_MILLIS = 20_000;
    private static final int PAUSE_MILLIS = 2;

    private final WireClient client;
    private final ArrayDeque<BaseCommand> answers = new ArrayDeque<>();
    private final ArrayDeque<byte[]> received = new ArrayDeque<>();
    private long written;

    /** @param connect by which it is let in */
    PulsarNeighbour(int port, BaseCommand connect) throws IOException {
        client = new WireClient(port);
        call(connect, Type.CONNECTED);
        BaseCommand producer = new BaseCommand().setType(Type.PRODUCER);
        producer.setProducer().setTopic(TOPIC).setProducerId(ID).setRequestId(1).setProducerName("neighbour");
        call(producer, Type.PRODUCER_SUCCESS);
        call(subscribe(ID, true), Type.SUCCESS);
    }

    private static BaseCommand subscribe(long id, boolean durable) {
        BaseCommand command = new BaseCommand().setType(Type.SUBSCRIBE);
        CommandSubscribe subscribe = command.setSubscribe()
                .setTopic(TOPIC)
                .setSubscription("neighbour" + id)
                .setSubType(CommandSubscribe.SubType.Exclusive)
                .setConsumerId(id)
                .setRequestId(10 + id)
                .setDurable(durable)
                .setInitialPosition(CommandSubscribe.InitialPosition.Earliest);
        if (!durable) {
            subscribe.setStartMessageId().setLedgerId(-1).setEntryId(-1);
        }
        return command;
    }

    private static byte[] value(long number) {
        return ("message " + number).getBytes(StandardCharsets.UTF_8);
    }

    void roundTrip() throws IOException {
        BaseCommand send = new BaseCommand().setType(Type.SEND);
        send.setSend().setProducerId(ID).setSequenceId(written);
        write(flow(ID, 1), new byte[0]);
        write(send, MessageMaker.plain(written, value(written)));
        BaseCommand message = null;
        BaseCommand receipt = null;
        while (message == null || receipt == null) {
            BaseCommand answer = next();
            switch (answer.getType()) {
                case MESSAGE -> message = answer;
                case SEND_RECEIPT -> receipt = answer;
                default -> throw new AssertionError("not expected: " + answer.getType());
            }
        }
        String got = new String(received.remove(), StandardCharsets.UTF_8);
        check(receipt.getSendReceipt().getSequenceId() == written, "receipt of another message than " + written);
        check(got.equals("message " + written), "received " + got + ", not message " + written);
        BaseCommand ack = new BaseCommand().setType(Type.ACK);
        ack.setAck()
                .setConsumerId(ID)
                .setRequestId(100)
                .setAckType(CommandAck.AckType.Individual)
                .addMessageId()
                .copyFrom(message.getMessage().getMessageId());
        call(ack, Type.ACK_RESPONSE);
        written++;
        client.exchange(new byte[0], this::take, PAUSE_MILLIS);
    }

    /** Everything that was published is there. */
    void readAll() throws IOException {
        call(subscribe(READER, false), Type.SUCCESS);
        write(flow(READER, (int) written + 1), new byte[0]);
        List<String> all = new ArrayList<>();
        while (all.size() < written) {
            check(next().getType() == Type.MESSAGE, "not a message");
            all.add(new String(received.remove(), StandardCharsets.UTF_8));
        }
        client.exchange(new byte[0], this::take, PAUSE_MILLIS);
        check(received.isEmpty(), "more messages than were published");
        for (int i = 0; i < written; i++) {
            check(all.get(i).equals("message " + i), all.get(i) + " in place of message " + i);
        }
    }

    private static BaseCommand flow(long consumer, int permits) {
        BaseCommand flow = new BaseCommand().setType(Type.FLOW);
        flow.setFlow().setConsumerId(consumer).setMessagePermits(permits);
        return flow;
    }

    private void call(BaseCommand command, Type answer) throws IOException {
        write(command, new byte[0]);
        BaseCommand got = next();
        check(got.getType() == answer, got.getType() + " in place of " + answer);
    }

    private void write(BaseCommand command, byte[] message) throws IOException {
        byte[] bytes = command.toByteArray();
        ByteBuffer frame = ByteBuffer.allocate(8 + bytes.length + message.length);
        frame.putInt(4 + bytes.length + message.length)
                .putInt(bytes.length)
                .put(bytes)
                .put(message);
        client.exchange(frame.array(), this::take, 0);
    }

    private BaseCommand next() throws IOException {
        if (answers.isEmpty()) {
            WireClient.End end = client.exchange(
                    new byte[0],
                    answer -> {
                        take(answer);
                        return !answers.isEmpty();
                    },
                    PATIENCE_MILLIS);
            check(end == WireClient.End.ENOUGH, "no answer: " + end);
        }
        return answers.remove();
    }

    private boolean take(ByteBuffer answer) {
        BaseCommand command = new BaseCommand();
        int size = answer.getInt();
        command.parseFrom(Unpooled.wrappedBuffer(answer.slice(answer.position(), size)), size);
        command.materialize();
        switch (command.getType()) {
            case MESSAGE -> {
                byte[] message = new byte[answer.remaining() - size];
                answer.get(answer.position() + size, message);
                received.add(MessageMaker.payload(message));
                answers.add(command);
            }
            case PING, ACTIVE_CONSUMER_CHANGE -> {}
            default -> answers.add(command);
        }
        return false;
    }

    private static void check(boolean holds, String otherwise) {
        if (!holds) {
            throw new AssertionError(otherwise);
        }
    }

    @Override
    public void close() throws IOException {
        client.close();
    }
}
