package io.sluice.broker.peer.net;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.sluice.broker.identity.ClusterSecret;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.Base64;
import org.jspecify.annotations.Nullable;

/**
 * Proof at the beginning of a connection, both ways, that the ends know the cluster's secret.
 *
 * <pre>
 *   asks                                answers
 *     hello                 ─►
 *                           ◄─            nonce A
 *     nonce Q, proof        ─►            over "asks", A, Q, hello
 *                           ◄─            hello', proof over "answers", A, Q, hello, hello'
 * </pre>
 *
 * <p>Both nonces are new for each connection, so what was overheard proves nothing on another; the words keep an end from being shown its own
 * proof. Who asks is first: a stranger that connects gets no proof to try passwords on.
 */
final class Exchange {
    /** Bytes of a nonce, and of a proof. */
    static final int BYTES = 32;

    private static final byte[] ASKS = "sluice peer 1 asks\0".getBytes(US_ASCII);
    private static final byte[] ANSWERS = "sluice peer 1 answers\0".getBytes(US_ASCII);
    private static final SecureRandom RANDOM = new SecureRandom();

    private final ClusterSecret secret;
    private final byte[] nonces;
    private final byte[] hello;

    private Exchange(ClusterSecret secret, byte[] ofAnswerer, byte[] ofAsker, byte[] hello) {
        this.secret = secret;
        this.nonces = Unpooled.copiedBuffer(ofAnswerer, ofAsker).array();
        this.hello = hello;
    }

    static byte[] nonce() {
        byte[] nonce = new byte[BYTES];
        RANDOM.nextBytes(nonce);
        return nonce;
    }

    /** Line with a nonce at its end, which a node that knows no proofs shows as it is. */
    static byte[] challenge(int node, byte[] nonce) {
        return Frames.message("node " + node + " asks for a proof of the cluster's secret "
                + Base64.getEncoder().encodeToString(nonce));
    }

    /** The asking end's side; null if that is no challenge. */
    static @Nullable Exchange answering(ClusterSecret secret, byte[] challenge, byte[] hello) {
        String line = Frames.line(challenge);
        try {
            byte[] nonce = Base64.getDecoder().decode(line.substring(line.lastIndexOf(' ') + 1));
            return nonce.length == BYTES ? new Exchange(secret, nonce, nonce(), hello) : null;
        } catch (IllegalArgumentException e) {
            return null;
        }
    }

    /** Bytes that the asking end shows: its nonce and its proof. */
    byte[] proof() {
        return Unpooled.copiedBuffer(
                        Arrays.copyOfRange(nonces, BYTES, 2 * BYTES), secret.proof(told(ASKS, new byte[0])))
                .array();
    }

    /** The answering end's side; null if the other end does not know the secret. */
    static @Nullable Exchange verified(ClusterSecret secret, byte[] nonce, byte[] hello, byte[] shown) {
        if (shown.length != 2 * BYTES) {
            return null;
        }
        var exchange = new Exchange(secret, nonce, Arrays.copyOf(shown, BYTES), hello);
        byte[] proof = Arrays.copyOfRange(shown, BYTES, 2 * BYTES);
        return secret.isProof(proof, exchange.told(ASKS, new byte[0])) ? exchange : null;
    }

    /** Bytes that the answering end shows: its own hello, and its proof behind it. */
    byte[] answer(byte[] ownHello) {
        return Unpooled.copiedBuffer(ownHello, secret.proof(told(ANSWERS, ownHello)))
                .array();
    }

    /** Hello of the answering end, without its proof; null if it does not know the secret. */
    byte @Nullable [] helloOf(byte[] answer) {
        int length = answer.length - BYTES;
        if (length < 0) {
            return null;
        }
        byte[] other = Arrays.copyOf(answer, length);
        byte[] proof = Arrays.copyOfRange(answer, length, answer.length);
        return secret.isProof(proof, told(ANSWERS, other)) ? other : null;
    }

    private byte[] told(byte[] role, byte[] otherHello) {
        ByteBuf out = Unpooled.buffer();
        out.writeBytes(role).writeBytes(nonces);
        out.writeInt(hello.length).writeBytes(hello);
        out.writeInt(otherHello.length).writeBytes(otherHello);
        return ByteBufUtil.getBytes(out);
    }
}
