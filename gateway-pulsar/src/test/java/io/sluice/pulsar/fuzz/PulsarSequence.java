package io.sluice.pulsar.fuzz;

import io.sluice.testing.fuzz.FuzzBytes;
import io.sluice.testing.fuzz.Mutator;
import io.sluice.testing.fuzz.WireClient;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import org.apache.pulsar.common.api.proto.BaseCommand;
import org.apache.pulsar.common.api.proto.BaseCommand.Type;
import org.jspecify.annotations.Nullable;

/**
 * Commands of one client, in two to four bursts: CONNECT and what opens producers and consumers, then whatever these do. Some
 * commands are damaged, some sequences are: their order, their bytes as a whole, the moment of the last byte.
 */
final class PulsarSequence {
    private static final Type[] OPENING = {
        Type.PRODUCER, Type.PRODUCER, Type.SUBSCRIBE, Type.SUBSCRIBE, Type.LOOKUP, Type.PARTITIONED_METADATA
    };
    private static final Type[] TRAFFIC = {
        Type.SEND,
        Type.SEND,
        Type.SEND,
        Type.SEND,
        Type.FLOW,
        Type.FLOW,
        Type.ACK,
        Type.ACK,
        Type.REDELIVER_UNACKNOWLEDGED_MESSAGES,
        Type.GET_LAST_MESSAGE_ID,
        Type.SEEK,
        Type.PING,
        Type.NEW_TXN,
        Type.ADD_PARTITION_TO_TXN,
        Type.ADD_SUBSCRIPTION_TO_TXN,
        Type.END_TXN
    };
    private static final Type[] ANY = {
        Type.SEND,
        Type.FLOW,
        Type.ACK,
        Type.PRODUCER,
        Type.SUBSCRIBE,
        Type.CLOSE_PRODUCER,
        Type.CLOSE_CONSUMER,
        Type.UNSUBSCRIBE,
        Type.SEEK,
        Type.GET_LAST_MESSAGE_ID,
        Type.CONSUMER_STATS,
        Type.LOOKUP,
        Type.PARTITIONED_METADATA,
        Type.GET_TOPICS_OF_NAMESPACE,
        Type.GET_SCHEMA,
        Type.GET_OR_CREATE_SCHEMA,
        Type.AUTH_RESPONSE,
        Type.PING,
        Type.PONG,
        Type.TC_CLIENT_CONNECT_REQUEST,
        Type.NEW_TXN,
        Type.ADD_PARTITION_TO_TXN,
        Type.ADD_SUBSCRIPTION_TO_TXN,
        Type.END_TXN,
        Type.WATCH_TOPIC_LIST,
        Type.WATCH_TOPIC_LIST_CLOSE,
        Type.WATCH_TC_ASSIGNMENTS,
        Type.WATCH_TC_ASSIGNMENTS_CLOSE
    };
    private static final int MAX_BURST = 14;

    private final Random random;
    private final Mutator mutator;
    private final PulsarKnown known;
    private final CommandMaker commands;
    private final MessageMaker messages;
    private final boolean harmless;

    PulsarSequence(long seed) {
        this.random = new Random(seed);
        this.mutator = new Mutator(random);
        this.known = new PulsarKnown(random);
        this.commands = new CommandMaker(random, known);
        this.messages = new MessageMaker(random, known);
        this.harmless = random.nextInt(5) == 0;
    }

    /** @param whole nothing of it was damaged */
    record Sent(BaseCommand command, boolean whole, FuzzBytes frame) {}

    /** @return commands sent */
    int play(int port) throws IOException {
        int sent = 0;
        try (WireClient client = new WireClient(port)) {
            int bursts = 2 + random.nextInt(3);
            for (int burst = 0; burst < bursts && !client.isClosed(); burst++) {
                sent += burst(client, burst == 0);
            }
        }
        return sent;
    }

    private int burst(WireClient client, boolean first) throws IOException {
        List<Sent> all = new ArrayList<>();
        if (first) {
            all.add(sent(CommandMaker.connect(), null, !harmless && random.nextInt(30) == 0));
        }
        Type[] types = first ? OPENING : random.nextInt(3) == 0 ? ANY : TRAFFIC;
        for (int left = 1 + random.nextInt(MAX_BURST); left > 0; left--) {
            all.add(command(types[random.nextInt(types.length)]));
        }
        if (!harmless && random.nextInt(4) == 0) {
            disorder(all);
        }
        FuzzBytes stream = new FuzzBytes();
        all.forEach(one -> stream.append(one.frame()));
        boolean torn = !harmless && random.nextInt(8) == 0;
        if (torn) {
            mutator.damage(stream);
        }
        if (!harmless && random.nextInt(10) == 0) {
            byte[] part = Arrays.copyOf(stream.toArray(), random.nextInt(stream.size() + 1));
            client.exchange(part, answer -> false, random.nextInt(3));
            client.close();
            return all.size();
        }
        PulsarExchange exchange = new PulsarExchange(client, known, torn ? List.of() : all);
        exchange.run(stream.toArray(), harmless, random.nextInt(5) == 0 ? 1 + random.nextInt(4) : 1);
        return all.size() + 1;
    }

    private Sent command(Type type) {
        boolean damaged = !harmless && random.nextInt(5) < 2;
        if (type == Type.SEND) {
            MessageMaker.Send send = messages.send(damaged);
            return sent(send.command(), send.message(), damaged);
        }
        return sent(commands.command(type), null, damaged);
    }

    private Sent sent(BaseCommand command, @Nullable FuzzBytes message, boolean damaged) {
        byte[] bytes = command.toByteArray();
        ProtoTree tree = ProtoTree.parse(bytes);
        boolean hitsCommand = damaged && (message == null || random.nextInt(3) == 0);
        if (tree != null && hitsCommand && random.nextBoolean()) {
            tree.damage(random, mutator);
            hitsCommand = random.nextInt(8) == 0;
        }
        FuzzBytes body = tree == null ? new FuzzBytes(bytes) : tree.write();
        if (hitsCommand) {
            mutator.damage(body);
        }
        FuzzBytes frame = new FuzzBytes()
                .number(4, 4 + body.size() + (message == null ? 0 : message.size()))
                .number(4, body.size())
                .append(body);
        if (message != null) {
            frame.append(message);
        }
        if (damaged && random.nextInt(8) == 0) {
            mutator.damage(frame);
            if (random.nextBoolean()) {
                frame.setNumber(0, 4, frame.size() - 4L);
            }
        }
        return new Sent(command, !damaged, frame);
    }

    private void disorder(List<Sent> all) {
        int one = random.nextInt(all.size());
        switch (random.nextInt(3)) {
            case 0 -> Collections.swap(all, one, random.nextInt(all.size()));
            case 1 -> all.add(all.get(one));
            default -> Collections.reverse(all);
        }
    }
}
