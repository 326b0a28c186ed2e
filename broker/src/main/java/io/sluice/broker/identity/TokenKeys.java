package io.sluice.broker.identity;

import io.jsonwebtoken.security.InvalidKeyException;
import io.jsonwebtoken.security.Keys;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.spec.PKCS8EncodedKeySpec;
import java.security.spec.X509EncodedKeySpec;
import java.util.Base64;
import java.util.List;
import java.util.regex.Pattern;
import javax.crypto.SecretKey;

/** Keys of tokens. Messages name the file, and quote nothing of what is in it. */
public final class TokenKeys {
    private static final List<String> ALGORITHMS = List.of("RSA", "EC", "Ed25519");
    private static final int SECRET_BYTES = 32;
    private static final Pattern PEM = Pattern.compile("-----(BEGIN|END) [A-Z ]+-----|\\s");

    private TokenKeys() {}

    /**
     * Secret in base64, or as it is.
     *
     * @param place as {@link SecretPlace} has it
     * @throws IOException the place cannot be read, or the secret is short
     */
    public static SecretKey secret(String place) throws IOException {
        byte[] bytes = SecretPlace.read(place);
        try {
            byte[] decoded = Base64.getDecoder().decode(new String(bytes, StandardCharsets.ISO_8859_1).strip());
            if (decoded.length >= SECRET_BYTES) {
                return Keys.hmacShaKeyFor(decoded);
            }
        } catch (IllegalArgumentException e) {
            // As it is.
        }
        try {
            return Keys.hmacShaKeyFor(bytes);
        } catch (InvalidKeyException e) {
            throw new IOException(place + " has a secret of less than " + SECRET_BYTES + " bytes", e);
        }
    }

    /** @see #secret(String) */
    public static SecretKey secret(Path file) throws IOException {
        return secret(file.toString());
    }

    /** @throws IOException the file cannot be read, or is no public key of RSA, EC or Ed25519 */
    public static PublicKey publicKey(Path file) throws IOException {
        byte[] der = der(file);
        for (String algorithm : ALGORITHMS) {
            try {
                return KeyFactory.getInstance(algorithm).generatePublic(new X509EncodedKeySpec(der));
            } catch (GeneralSecurityException e) {
                // Of another algorithm, perhaps.
            }
        }
        throw new IOException(file + " is no public key (PEM, of RSA, EC or Ed25519)");
    }

    /** @throws IOException the file cannot be read, or is no private key of RSA, EC or Ed25519 in PKCS#8 */
    public static PrivateKey privateKey(Path file) throws IOException {
        byte[] der = der(file);
        for (String algorithm : ALGORITHMS) {
            try {
                return KeyFactory.getInstance(algorithm).generatePrivate(new PKCS8EncodedKeySpec(der));
            } catch (GeneralSecurityException e) {
                // Of another algorithm, perhaps.
            }
        }
        throw new IOException(file + " is no private key (PEM with BEGIN PRIVATE KEY, of RSA, EC or Ed25519)");
    }

    private static byte[] der(Path file) throws IOException {
        byte[] bytes = SecretPlace.read(file.toString());
        String text = new String(bytes, StandardCharsets.ISO_8859_1);
        if (!text.contains("-----BEGIN ")) {
            return bytes;
        }
        try {
            return Base64.getDecoder().decode(PEM.matcher(text).replaceAll(""));
        } catch (IllegalArgumentException e) {
            throw new IOException(file + " is not one key in PEM", e);
        }
    }
}
