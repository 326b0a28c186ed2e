package io.sluice.broker.identity;

import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.sluice.store.tls.CertificateTrust;
import io.sluice.store.tls.RevokedCertificates;
import java.io.IOException;
import java.security.GeneralSecurityException;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import javax.net.ssl.KeyManagerFactory;

/** TLS of a listener: 1.2 and 1.3, by BoringSSL where it runs, else by the JDK. New connections get what was read last. Any thread. */
public final class ServerTls {
    private final FromFiles<SslContext> context;

    /** Makes contexts of listeners. */
    static final TlsFiles.KeyTaker<SslContextBuilder> LISTENER = new TlsFiles.KeyTaker<>() {
        @Override
        public SslContextBuilder of(PrivateKey key, X509Certificate[] chain) {
            return SslContextBuilder.forServer(key, chain);
        }

        @Override
        public SslContextBuilder of(KeyManagerFactory keys) {
            return SslContextBuilder.forServer(keys);
        }
    };

    /**
     * Reads the files. Blocks.
     *
     * @param clients whether a client's certificate is asked for
     * @param revoked certificates of clients that are refused
     * @throws IOException a file cannot be read, or is not what it should be; in one line
     */
    public ServerTls(TlsFiles files, ClientAuth clients, RevokedCertificates revoked) throws IOException {
        context = new FromFiles<>(files::content, _ -> made(files, clients, revoked));
    }

    /** For a connection that begins now. */
    public SslContext context() {
        return context.get();
    }

    /**
     * Reads the files again if they have changed. Blocks.
     *
     * @return whether they had
     * @throws IOException as when it is made; what was read before stays
     */
    public boolean reload() throws IOException {
        return context.reload();
    }

    private static SslContext made(TlsFiles files, ClientAuth clients, RevokedCertificates revoked) throws IOException {
        try {
            SslContextBuilder builder = files.keys(LISTENER)
                    .sslProvider(TlsFiles.PROVIDER)
                    .protocols("TLSv1.3", "TLSv1.2")
                    .clientAuth(clients);
            if (clients != ClientAuth.NONE) {
                builder.trustManager(CertificateTrust.in(files.authorities(), revoked));
            }
            return builder.build();
        } catch (GeneralSecurityException | IllegalArgumentException e) {
            throw files.unusable(e);
        }
    }
}
