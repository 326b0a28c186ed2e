package io.sluice.broker.identity;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslProvider;
import io.sluice.store.tls.CertificateTrust;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.Signature;
import java.security.cert.X509Certificate;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Locale;
import javax.net.ssl.KeyManagerFactory;
import org.jspecify.annotations.Nullable;

/**
 * Files of TLS, PEM or PKCS#12.
 *
 * @param certificate with those that lead to its authority; or a PKCS#12 file, known by its name
 * @param key place of the key, PEM; not used where {@code certificate} has both
 * @param password place of the password of either; null if there is none
 * @param authorities of the other ends' certificates; not used where none are asked for
 */
public record TlsFiles(
        Path certificate, String key, @Nullable String password, Path authorities) {
    /** BoringSSL where it runs, else the JDK. */
    static final SslProvider PROVIDER = CertificateTrust.PROVIDER;

    private static final byte[] PROBE = {1};

    /** Takes a certificate with its key, in one of two forms. */
    interface KeyTaker<T> {
        T of(PrivateKey key, X509Certificate[] chain) throws IOException, GeneralSecurityException;

        T of(KeyManagerFactory keys);
    }

    /** Gives the certificate and its key on, once they are known to belong together. */
    <T> T keys(KeyTaker<T> taker) throws IOException, GeneralSecurityException {
        String opens = password == null ? null : new String(SecretPlace.read(password), UTF_8).strip();
        if (!isKeyStore()) {
            X509Certificate[] chain = Pem.certificates(certificate);
            PrivateKey read = ofJdk(Pem.key(SecretPlace.read(key), opens), chain[0]);
            checkBelongs(read, chain[0]);
            return taker.of(read, chain);
        }
        char[] letters = opens == null ? new char[0] : opens.toCharArray();
        KeyStore store = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(certificate)) {
            store.load(in, letters);
        }
        KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        keys.init(store, letters);
        return taker.of(keys);
    }

    /**
     * The certificate with its key, for those that make a context of their own. Blocks.
     *
     * @throws IOException a file cannot be read, or is not what it should be; in one line
     */
    public KeyManagerFactory keyManagers() throws IOException {
        try {
            return keys(MANAGERS);
        } catch (GeneralSecurityException | IllegalArgumentException e) {
            throw unusable(e);
        }
    }

    /** Keeps them in memory. */
    private static final KeyTaker<KeyManagerFactory> MANAGERS = new KeyTaker<>() {
        @Override
        public KeyManagerFactory of(PrivateKey key, X509Certificate[] chain)
                throws IOException, GeneralSecurityException {
            char[] none = new char[0];
            KeyStore store = KeyStore.getInstance("PKCS12");
            store.load(null, none);
            store.setKeyEntry("key", key, none, chain);
            KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
            keys.init(store, none);
            return keys;
        }

        @Override
        public KeyManagerFactory of(KeyManagerFactory keys) {
            return keys;
        }
    };

    /** A failure to use them, in one line. */
    IOException unusable(Exception e) {
        Throwable cause = e.getCause() == null ? e : e.getCause();
        String line = String.valueOf(cause.getMessage()).lines().findFirst().orElse("");
        return new IOException("cannot use the certificate " + certificate + ": " + line, e);
    }

    /** Netty reads with Bouncy Castle where there is one, whose keys the JDK's signatures do not take. */
    private static PrivateKey ofJdk(PrivateKey read, X509Certificate certificate) throws GeneralSecurityException {
        return KeyFactory.getInstance(certificate.getPublicKey().getAlgorithm())
                .generatePrivate(new PKCS8EncodedKeySpec(read.getEncoded()));
    }

    /** While both files are being replaced, the one may be new and the other old: no client would be served. */
    private static void checkBelongs(PrivateKey key, X509Certificate certificate) throws GeneralSecurityException {
        Signature signature = Signature.getInstance(
                switch (key.getAlgorithm()) {
                    case "RSA" -> "SHA256withRSA";
                    case "EC" -> "SHA256withECDSA";
                    default -> key.getAlgorithm();
                });
        signature.initSign(key);
        signature.update(PROBE);
        byte[] signed = signature.sign();
        signature.initVerify(certificate.getPublicKey());
        signature.update(PROBE);
        if (!signature.verify(signed)) {
            throw new GeneralSecurityException("the key is not the certificate's");
        }
    }

    /** Netty's readers of PEM, which are for its contexts. */
    private abstract static class Pem extends SslContext {
        static PrivateKey key(byte[] pem, @Nullable String password) throws IOException, GeneralSecurityException {
            return toPrivateKey(new ByteArrayInputStream(pem), password);
        }

        static X509Certificate[] certificates(Path file) throws GeneralSecurityException {
            return toX509Certificates(file.toFile());
        }
    }

    private boolean isKeyStore() {
        String name = certificate.toString().toLowerCase(Locale.ROOT);
        return name.endsWith(".p12") || name.endsWith(".pfx");
    }

    /** Content of them all. */
    byte[] content() throws IOException {
        var all = new ByteArrayOutputStream();
        for (String each : new String[] {certificate.toString(), key, password, authorities.toString()}) {
            if (each != null && !each.isEmpty()) {
                all.write(SecretPlace.read(each));
            }
        }
        return all.toByteArray();
    }
}
