package io.sluice.broker.identity;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.OpenSsl;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.Signature;
import java.security.cert.X509Certificate;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Arrays;
import java.util.Locale;
import javax.net.ssl.KeyManagerFactory;
import org.jspecify.annotations.Nullable;

/** TLS of a listener: 1.2 and 1.3, by BoringSSL where it runs, else by the JDK. New connections get what was read last. Any thread. */
public final class ServerTls {
    private static final byte[] PROBE = {1};

    private final TlsFiles files;
    private final ClientAuth clients;
    private byte[] read = {};
    private volatile SslContext context;

    /**
     * Reads the files. Blocks.
     *
     * @param clients whether a client's certificate is asked for
     * @throws IOException a file cannot be read, or is not what it should be; in one line
     */
    public ServerTls(TlsFiles files, ClientAuth clients) throws IOException {
        this.files = files;
        this.clients = clients;
        this.context = made(files.content());
    }

    /** For a connection that begins now. */
    public SslContext context() {
        return context;
    }

    /**
     * Reads the files again if they have changed. Blocks.
     *
     * @return whether they had
     * @throws IOException as when it is made; what was read before stays
     */
    public synchronized boolean reload() throws IOException {
        byte[] now = files.content();
        if (Arrays.equals(now, read)) {
            return false;
        }
        context = made(now);
        return true;
    }

    private SslContext made(byte[] content) throws IOException {
        try {
            SslContextBuilder builder = server().sslProvider(
                            OpenSsl.isAvailable() ? SslProvider.OPENSSL : SslProvider.JDK)
                    .protocols("TLSv1.3", "TLSv1.2")
                    .clientAuth(clients);
            if (clients != ClientAuth.NONE) {
                builder.trustManager(files.clientAuthorities().toFile());
            }
            SslContext made = builder.build();
            read = content;
            return made;
        } catch (GeneralSecurityException | IllegalArgumentException e) {
            throw new IOException("cannot use the certificate " + files.certificate() + ": " + reason(e), e);
        }
    }

    private SslContextBuilder server() throws IOException, GeneralSecurityException {
        String password = files.password();
        if (!files.isKeyStore()) {
            X509Certificate[] chain = Pem.certificates(files.certificate());
            PrivateKey key = ofJdk(Pem.key(files.key(), password), chain[0]);
            checkBelongs(key, chain[0]);
            return SslContextBuilder.forServer(key, chain);
        }
        char[] letters = password == null ? new char[0] : password.toCharArray();
        KeyStore store = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(files.certificate())) {
            store.load(in, letters);
        }
        KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        keys.init(store, letters);
        return SslContextBuilder.forServer(keys);
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
        static PrivateKey key(Path file, @Nullable String password) throws IOException, GeneralSecurityException {
            return toPrivateKey(file.toFile(), password);
        }

        static X509Certificate[] certificates(Path file) throws GeneralSecurityException {
            return toX509Certificates(file.toFile());
        }
    }

    private static String reason(Throwable e) {
        Throwable cause = e.getCause() == null ? e : e.getCause();
        return String.valueOf(cause.getMessage()).lines().findFirst().orElse("");
    }

    /**
     * Files of TLS, PEM or PKCS#12.
     *
     * @param certificate with those that lead to its authority; or a PKCS#12 file, known by its name
     * @param key the same as {@code certificate} where that has both
     * @param passwordFile null if there is no password
     * @param clientAuthorities of clients' certificates; not used where none are asked for
     */
    public record TlsFiles(
            Path certificate, Path key, @Nullable Path passwordFile, Path clientAuthorities) {
        boolean isKeyStore() {
            String name = certificate.toString().toLowerCase(Locale.ROOT);
            return name.endsWith(".p12") || name.endsWith(".pfx");
        }

        @Nullable
        String password() throws IOException {
            return passwordFile == null
                    ? null
                    : Files.readString(passwordFile, UTF_8).strip();
        }

        /** Content of them all. */
        byte[] content() throws IOException {
            var all = new ByteArrayOutputStream();
            for (Path each : new Path[] {certificate, key, passwordFile, clientAuthorities}) {
                if (each != null && !each.toString().isEmpty()) {
                    try {
                        all.write(Files.readAllBytes(each));
                    } catch (NoSuchFileException e) {
                        throw new IOException(each + " does not exist", e);
                    }
                }
            }
            return all.toByteArray();
        }
    }
}
