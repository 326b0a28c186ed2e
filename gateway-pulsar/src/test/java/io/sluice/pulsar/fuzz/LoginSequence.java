package io.sluice.pulsar.fuzz;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.netty.buffer.Unpooled;
import io.sluice.broker.identity.OneUser;
import io.sluice.broker.identity.OneUser.Secrets;
import io.sluice.testing.fuzz.FuzzBytes;
import io.sluice.testing.fuzz.Mutator;
import io.sluice.testing.fuzz.WireClient;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.HexFormat;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.apache.pulsar.common.api.proto.BaseCommand;
import org.apache.pulsar.common.api.proto.BaseCommand.Type;

/**
 * One client that logs in by token or password, and then asks for something: with the right secrets or with wrong ones, as it is to be, or
 * with damaged commands, some of them twice or out of order. Without the right secrets nothing that it sends may get it an answer to what it
 * asks for.
 */
final class LoginSequence {
    /** A login that takes longer, since the machine has other work, may meet the server's bound of ten seconds. */
    private static final long IN_TIME = TimeUnit.SECONDS.toNanos(8);

    private static final long QUIET_MILLIS = 100;
    private static final int MAX_QUIET = 150;
    private static final long PROBE = 0x5eed;

    private final Random random;
    private final Mutator mutator;
    private final Secrets secrets;
    private final boolean honest;
    private final boolean right;
    private final String method;
    private final FuzzBytes stream = new FuzzBytes();
    private int sent;
    /** Some length is wrong: the server may wait for the rest. */
    private boolean torn;

    private boolean connected;
    private boolean answered;

    /** @param honest all is sent as it is to be */
    LoginSequence(Random random, Secrets secrets, boolean honest) {
        this.random = random;
        this.mutator = new Mutator(random);
        this.secrets = secrets;
        this.honest = honest;
        this.right = secrets.password().equals(OneUser.PASSWORD);
        this.method = random.nextBoolean() ? "token" : "basic";
    }

    /** @return commands sent */
    int play(int port) throws IOException {
        if (!honest && random.nextInt(4) == 0) {
            add(response());
        }
        if (honest || random.nextInt(8) > 0) {
            add(connect());
        }
        if (!honest && random.nextInt(4) == 0) {
            add(random.nextBoolean() ? response() : connect());
        }
        FuzzBytes login = new FuzzBytes(stream.toArray());
        long began = System.nanoTime();
        try (WireClient client = new WireClient(port)) {
            if (honest || right && random.nextBoolean()) {
                // what follows is a command of somebody whose login is known
                exchange(client, login.toArray(), true);
            } else {
                exchange(client, login.append(framed(CommandMaker.probe(PROBE))).toArray(), false);
            }
            if (!client.isClosed() && !answered) {
                exchange(client, framed(CommandMaker.probe(PROBE)).toArray(), false);
            }
        }
        if (answered && !right) {
            throw new AssertionError(method + " let somebody in who does not have the secret");
        }
        if (honest && right && !connected && System.nanoTime() - began < IN_TIME) {
            throw new AssertionError(method + " with the right secret did not let in");
        }
        return sent + 1;
    }

    private byte[] shown() {
        String how = honest || random.nextInt(6) > 0 ? method : random.nextBoolean() ? "token" : "basic";
        return (how.equals("token") ? secrets.token() : OneUser.NAME + ":" + secrets.password()).getBytes(UTF_8);
    }

    private BaseCommand connect() {
        BaseCommand command = CommandMaker.connect(method, shown());
        if (!honest && random.nextInt(6) == 0) {
            command.getConnect()
                    .setOriginalPrincipal(OneUser.NAME)
                    .setOriginalAuthMethod(method)
                    .setOriginalAuthData(new String(shown(), UTF_8));
        }
        return command;
    }

    private BaseCommand response() {
        BaseCommand command = new BaseCommand().setType(Type.AUTH_RESPONSE);
        command.setAuthResponse()
                .setClientVersion("fuzz")
                .setProtocolVersion(connectVersion())
                .setResponse()
                .setAuthMethodName(method)
                .setAuthData(shown());
        return command;
    }

    private static int connectVersion() {
        return CommandMaker.connect().getConnect().getProtocolVersion();
    }

    private void add(BaseCommand command) {
        sent++;
        stream.append(honest || random.nextInt(3) == 0 ? framed(command) : damaged(command));
    }

    private static FuzzBytes framed(BaseCommand command) {
        byte[] bytes = command.toByteArray();
        return new FuzzBytes()
                .number(4, 4L + bytes.length)
                .number(4, bytes.length)
                .append(new FuzzBytes(bytes));
    }

    private FuzzBytes damaged(BaseCommand command) {
        byte[] bytes = command.toByteArray();
        ProtoTree tree = ProtoTree.parse(bytes);
        FuzzBytes body;
        if (tree != null && random.nextBoolean()) {
            tree.damage(random, mutator);
            body = tree.write();
        } else {
            body = new FuzzBytes(bytes);
            mutator.damage(body);
        }
        FuzzBytes frame = new FuzzBytes()
                .number(4, 4L + body.size())
                .number(4, body.size())
                .append(body);
        if (random.nextInt(10) == 0) {
            mutator.damage(frame);
            torn = true;
        }
        return frame;
    }

    /** Until the probe is answered, or what logs in if that is enough, or the server closes the connection. */
    private void exchange(WireClient client, byte[] bytes, boolean enoughWhenConnected) throws IOException {
        byte[] rest = bytes;
        for (int quiet = 0; ; quiet++) {
            WireClient.End end = client.exchange(
                    rest,
                    answer -> {
                        take(answer);
                        return answered || enoughWhenConnected && connected;
                    },
                    QUIET_MILLIS);
            rest = new byte[0];
            if (end != WireClient.End.QUIET) {
                return;
            }
            if (torn) {
                client.close();
                return;
            }
            if (enoughWhenConnected && !honest) {
                return; // the damaged login may be none: the probe shows it
            }
            if (quiet == MAX_QUIET) {
                throw new AssertionError("stuck: no answer to " + HexFormat.of().formatHex(bytes));
            }
        }
    }

    private void take(ByteBuffer answer) {
        if (WireClient.showsStackTrace(answer)) {
            throw new AssertionError("a stack trace in an answer");
        }
        int length = answer.getInt(answer.position());
        BaseCommand command = new BaseCommand();
        command.parseFrom(Unpooled.wrappedBuffer(answer.slice(answer.position() + 4, length)), length);
        connected |= command.getType() == Type.CONNECTED;
        answered |= command.getType() == Type.PARTITIONED_METADATA_RESPONSE
                && command.getPartitionMetadataResponse().getRequestId() == PROBE
                && !command.getPartitionMetadataResponse().hasError();
    }
}
