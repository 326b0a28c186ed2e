package io.sluice.broker.identity;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.security.spec.KeySpec;
import java.util.Arrays;
import javax.crypto.Mac;
import javax.crypto.SecretKeyFactory;
import javax.crypto.spec.PBEKeySpec;
import javax.crypto.spec.SecretKeySpec;

/**
 * Proof that a password is right, from which the password cannot be had: RFC 5802's StoredKey and ServerKey.
 *
 * @param iterations of PBKDF2
 */
@SuppressWarnings("ArrayRecordComponent") // never compared
public record ScramCredential(byte[] salt, byte[] storedKey, byte[] serverKey, int iterations) {
    /** Kafka's bounds: fewer are soon guessed, more would keep the server's processors from other work. */
    public static final int LEAST_ITERATIONS = 4_096;

    public static final int MOST_ITERATIONS = 16_384;

    private static final int SALT_BYTES = 24;

    /** A credential of a new salt. Takes milliseconds of a processor. */
    public static ScramCredential of(ScramHash hash, String password, SecureRandom random) {
        byte[] salt = new byte[SALT_BYTES];
        random.nextBytes(salt);
        return of(hash, salted(hash, password, salt, LEAST_ITERATIONS), salt, LEAST_ITERATIONS);
    }

    /**
     * A credential of a password that was salted by a client.
     *
     * @param saltedPassword PBKDF2 of the password
     */
    public static ScramCredential of(ScramHash hash, byte[] saltedPassword, byte[] salt, int iterations) {
        byte[] storedKey = digest(hash, mac(hash, saltedPassword, "Client Key"));
        return new ScramCredential(salt, storedKey, mac(hash, saltedPassword, "Server Key"), iterations);
    }

    /** Whether it is the password. Takes milliseconds of a processor, and as long for a wrong one. */
    public boolean matches(ScramHash hash, String password) {
        byte[] given = digest(hash, mac(hash, salted(hash, password, salt, iterations), "Client Key"));
        return MessageDigest.isEqual(given, storedKey);
    }

    private static byte[] salted(ScramHash hash, String password, byte[] salt, int iterations) {
        // The JDK takes a password as UTF-8, as clients do.
        KeySpec spec = new PBEKeySpec(password.toCharArray(), salt, iterations, hash.bits());
        try {
            return SecretKeyFactory.getInstance("PBKDF2With" + hash.mac())
                    .generateSecret(spec)
                    .getEncoded();
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("the JDK lacks PBKDF2 with " + hash.mac(), e);
        }
    }

    private static byte[] mac(ScramHash hash, byte[] key, String text) {
        try {
            Mac mac = Mac.getInstance(hash.mac());
            mac.init(new SecretKeySpec(key, hash.mac()));
            return mac.doFinal(text.getBytes(UTF_8));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("the JDK lacks " + hash.mac(), e);
        }
    }

    private static byte[] digest(ScramHash hash, byte[] bytes) {
        try {
            return MessageDigest.getInstance(hash.digest()).digest(bytes);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("the JDK lacks " + hash.digest(), e);
        }
    }

    boolean sameAs(ScramCredential other) {
        return iterations == other.iterations
                && Arrays.equals(salt, other.salt)
                && MessageDigest.isEqual(storedKey, other.storedKey)
                && MessageDigest.isEqual(serverKey, other.serverKey);
    }

    @Override
    public String toString() {
        return "ScramCredential(hidden, " + iterations + " iterations)";
    }
}
