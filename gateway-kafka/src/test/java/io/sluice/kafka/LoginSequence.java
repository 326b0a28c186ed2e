package io.sluice.kafka;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.sluice.broker.identity.OneUser;
import io.sluice.broker.identity.OneUser.Secrets;
import io.sluice.testing.fuzz.FuzzBytes;
import io.sluice.testing.fuzz.Mutator;
import io.sluice.testing.fuzz.WireClient;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import javax.security.sasl.SaslException;
import org.apache.kafka.common.message.ApiVersionsRequestData;
import org.apache.kafka.common.message.MetadataRequestData;
import org.apache.kafka.common.message.SaslAuthenticateRequestData;
import org.apache.kafka.common.message.SaslAuthenticateResponseData;
import org.apache.kafka.common.message.SaslHandshakeRequestData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.jspecify.annotations.Nullable;

/**
 * One client that logs in by one of the mechanisms, and then asks for something: with the right secrets or with wrong ones, as it is to be, or
 * with damaged messages. Without the right secrets nothing that it sends may get it an answer to what it asks for.
 */
final class LoginSequence {
    private static final String[] MECHANISMS = {"PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512", "OAUTHBEARER"};
    /** A login that takes longer, since the machine has other work, may meet the server's bound of ten seconds. */
    private static final long IN_TIME = TimeUnit.SECONDS.toNanos(8);

    private static final long QUIET_MILLIS = 100;
    private static final int MAX_QUIET = 150;
    private static final int PROBE = 0x5eed;
    private static final int CORRELATION_AT = 8;

    private final Random random;
    private final Mutator mutator;
    private final Secrets secrets;
    private final boolean honest;
    private final String mechanism;
    private int sent;
    /** A message whose length is wrong: the server may wait for the rest. */
    private boolean torn;

    /** @param honest all is sent as it is to be */
    LoginSequence(Random random, Secrets secrets, boolean honest) {
        this.random = random;
        this.mutator = new Mutator(random);
        this.secrets = secrets;
        this.honest = honest;
        this.mechanism = MECHANISMS[random.nextInt(MECHANISMS.length)];
    }

    /** @return requests sent */
    int play(int port) throws Exception {
        long began = System.nanoTime();
        try (WireClient client = new WireClient(port)) {
            boolean in = logIn(client);
            byte[] probe = RawClient.frame(ApiKeys.METADATA, 4, PROBE, new MetadataRequestData());
            ByteBuffer answer = client.isClosed() ? null : exchange(client, probe);
            boolean answered = answer != null && answer.getInt(0) == PROBE;
            boolean right = secrets.password().equals(OneUser.PASSWORD);
            if (answered && !right) {
                throw new AssertionError(mechanism + " let somebody in who does not have the secret");
            }
            if (honest && right != (in && answered) && System.nanoTime() - began < IN_TIME) {
                throw new AssertionError(mechanism + " with the right secret: " + right + ", let in: " + answered);
            }
        }
        return sent;
    }

    private boolean logIn(WireClient client) throws Exception {
        if (random.nextInt(3) == 0) {
            ask(client, ApiKeys.API_VERSIONS, 0, new ApiVersionsRequestData());
        }
        if (honest || random.nextInt(8) > 0) {
            ask(client, ApiKeys.SASL_HANDSHAKE, 1, new SaslHandshakeRequestData().setMechanism(mechanism()));
        }
        return switch (mechanism) {
            case "PLAIN" ->
                authenticate(client, ("\0" + OneUser.NAME + "\0" + secrets.password()).getBytes(UTF_8)) != null;
            case "OAUTHBEARER" ->
                authenticate(client, ("n,,\u0001auth=Bearer " + secrets.token() + "\u0001\u0001").getBytes(UTF_8))
                        != null;
            default -> scram(client);
        };
    }

    private String mechanism() {
        return honest || random.nextInt(6) > 0 ? mechanism : MECHANISMS[random.nextInt(MECHANISMS.length)];
    }

    private boolean scram(WireClient client) throws Exception {
        ScramLogin login = new ScramLogin(mechanism, OneUser.NAME, secrets.password());
        byte[] answer = authenticate(client, login.first());
        if (answer == null || client.isClosed()) {
            return false;
        }
        try {
            answer = authenticate(client, login.last(answer));
            return answer != null && !client.isClosed() && login.isProved(answer);
        } catch (SaslException e) {
            return false;
        }
    }

    /** Bytes of the mechanism that the server answers; null if it refuses, or answers something else. */
    private byte @Nullable [] authenticate(WireClient client, byte[] message) throws Exception {
        ByteBuffer answer =
                ask(client, ApiKeys.SASL_AUTHENTICATE, 1, new SaslAuthenticateRequestData().setAuthBytes(message));
        if (answer == null) {
            return null;
        }
        try {
            answer.position(Integer.BYTES);
            var read = new SaslAuthenticateResponseData(new ByteBufferAccessor(answer), (short) 1);
            return read.errorCode() == 0 ? read.authBytes() : null;
        } catch (RuntimeException e) {
            if (honest) {
                throw e;
            }
            return null; // the request became another one
        }
    }

    private @Nullable ByteBuffer ask(WireClient client, ApiKeys api, int version, ApiMessage message) throws Exception {
        if (client.isClosed()) {
            return null;
        }
        byte[] frame = RawClient.frame(api, version, ++sent, message);
        return exchange(client, honest || random.nextInt(3) == 0 ? frame : damaged(frame));
    }

    private byte[] damaged(byte[] frame) {
        FuzzBytes body = new FuzzBytes(Arrays.copyOfRange(frame, Integer.BYTES, frame.length));
        body.mark(0, Short.BYTES);
        body.mark(2, Short.BYTES);
        body.mark(CORRELATION_AT, Short.BYTES);
        body.markPiece(Math.min(body.size(), 13));
        if (body.size() > 17) {
            body.mark(13, Integer.BYTES);
        }
        mutator.damage(body);
        boolean repaired = random.nextInt(12) > 0;
        torn |= !repaired;
        return new FuzzBytes()
                .number(Integer.BYTES, repaired ? body.size() : frame.length - Integer.BYTES)
                .append(body)
                .toArray();
    }

    /** The next answer; null if the server closes the connection, or waits for what a torn message lacks. */
    private @Nullable ByteBuffer exchange(WireClient client, byte[] frame) throws Exception {
        ByteBuffer[] answered = new ByteBuffer[1];
        byte[] rest = frame;
        for (int quiet = 0; ; quiet++) {
            WireClient.End end = client.exchange(rest, answer -> take(answer, answered), QUIET_MILLIS);
            rest = new byte[0];
            if (end == WireClient.End.ENOUGH) {
                return answered[0];
            }
            if (end == WireClient.End.CLOSED) {
                return null;
            }
            if (torn) {
                client.close();
                return null;
            }
            if (quiet == MAX_QUIET) {
                throw new AssertionError("stuck: no answer to " + HexFormat.of().formatHex(frame));
            }
        }
    }

    private static boolean take(ByteBuffer answer, ByteBuffer[] into) {
        if (WireClient.showsStackTrace(answer)) {
            throw new AssertionError("a stack trace in an answer");
        }
        into[0] = ByteBuffer.allocate(answer.remaining()).put(answer).flip();
        return true;
    }
}
