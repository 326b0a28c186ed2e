package io.sluice.broker.identity;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.List;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Secret that the nodes of a cluster share: each line of its place is one, 32 bytes or more. A node proves that it knows the first, and takes proofs
 * of all, so that the secret of a cluster is changed in steps: added, made the first, the earlier one taken away. Any thread.
 */
public final class ClusterSecret {
    /** Shortest secret. */
    public static final int LEAST_BYTES = 32;

    private static final String ALGORITHM = "HmacSHA256";

    private final FromFiles<List<SecretKeySpec>> secrets;

    /**
     * Reads the place. Blocks.
     *
     * @param place as {@link SecretPlace} has it
     * @throws IOException there is no secret, or one is too short; in one line
     */
    public ClusterSecret(String place) throws IOException {
        secrets = new FromFiles<>(() -> SecretPlace.read(place), content -> parsed(place, content));
    }

    private static List<SecretKeySpec> parsed(String place, byte[] content) throws IOException {
        List<byte[]> lines = new String(content, UTF_8)
                .lines()
                .map(String::strip)
                .filter(line -> !line.isEmpty())
                .map(line -> line.getBytes(UTF_8))
                .toList();
        if (lines.isEmpty() || lines.stream().anyMatch(line -> line.length < LEAST_BYTES)) {
            throw new IOException(
                    place + " has no secret of " + LEAST_BYTES + " bytes or more, or a line that is shorter");
        }
        return lines.stream().map(line -> new SecretKeySpec(line, ALGORITHM)).toList();
    }

    /**
     * Reads the place again. Blocks.
     *
     * @return whether it had changed
     * @throws IOException as when it is made; what was read before stays
     */
    public boolean reload() throws IOException {
        return secrets.reload();
    }

    /** Proof, 32 bytes, that this node knows the secret, over what only this exchange has. */
    public byte[] proof(byte[] exchange) {
        return proof(secrets.get().getFirst(), exchange);
    }

    /** Whether the other end knows the secret. Takes as long whatever the proof is. */
    public boolean isProof(byte[] shown, byte[] exchange) {
        boolean known = false;
        for (SecretKeySpec secret : secrets.get()) {
            known |= MessageDigest.isEqual(proof(secret, exchange), shown);
        }
        return known;
    }

    private static byte[] proof(SecretKeySpec secret, byte[] exchange) {
        try {
            Mac mac = Mac.getInstance(ALGORITHM);
            mac.init(secret);
            return mac.doFinal(exchange);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("the JDK lacks " + ALGORITHM, e);
        }
    }
}
