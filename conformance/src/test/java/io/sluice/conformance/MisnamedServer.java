package io.sluice.conformance;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLServerSocket;
import javax.net.ssl.SSLSocket;
import org.jspecify.annotations.Nullable;

/** A server on this machine whose certificate is for another one; it hears which clients go on all the same, and answers none. */
final class MisnamedServer implements AutoCloseable {
    private final SSLServerSocket socket;
    private final BlockingQueue<Boolean> clients = new LinkedBlockingQueue<>();

    /** @param secure folder of {@code sluice security init} for the other machine */
    MisnamedServer(Path secure) throws IOException, GeneralSecurityException {
        char[] none = new char[0];
        KeyStore keys = KeyStore.getInstance("PKCS12");
        keys.load(null, none);
        Certificate certificate = certificate(secure.resolve("server.pem"));
        keys.setKeyEntry(
                "server",
                key(secure.resolve("server-key.pem"), certificate.getPublicKey().getAlgorithm()),
                none,
                new Certificate[] {certificate});
        KeyManagerFactory managers = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        managers.init(keys, none);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(managers.getKeyManagers(), null, null);
        socket = (SSLServerSocket)
                context.getServerSocketFactory().createServerSocket(0, 50, InetAddress.getLoopbackAddress());
        Thread.startVirtualThread(this::accept);
    }

    private static Certificate certificate(Path pem) throws IOException, GeneralSecurityException {
        try (InputStream in = Files.newInputStream(pem)) {
            return CertificateFactory.getInstance("X.509").generateCertificate(in);
        }
    }

    private static PrivateKey key(Path pem, String algorithm) throws IOException, GeneralSecurityException {
        String base64 = Files.readString(pem).replaceAll("-----[A-Z ]+-----", "");
        return KeyFactory.getInstance(algorithm)
                .generatePrivate(new PKCS8EncodedKeySpec(Base64.getMimeDecoder().decode(base64)));
    }

    int port() {
        return socket.getLocalPort();
    }

    private void accept() {
        while (!socket.isClosed()) {
            try (SSLSocket client = (SSLSocket) socket.accept()) {
                clients.add(goesOn(client));
            } catch (IOException e) {
                // closed, or the next client comes
            }
        }
    }

    private static boolean goesOn(SSLSocket client) {
        try {
            client.startHandshake();
            return client.getInputStream().read() >= 0;
        } catch (IOException e) {
            return false;
        }
    }

    /** Whether the next client sends something; null if none comes for half a minute. */
    @Nullable
    Boolean nextGoesOn() throws InterruptedException {
        return clients.poll(30, TimeUnit.SECONDS);
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
