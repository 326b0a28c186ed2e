package io.sluice.broker.identity;

import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.sluice.store.tls.CertificateTrust;
import io.sluice.store.tls.RevocationWatch;
import io.sluice.store.tls.RevokedCertificates;
import java.io.IOException;
import java.security.GeneralSecurityException;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.List;
import javax.net.ssl.KeyManagerFactory;

/**
 * TLS 1.3 between nodes: each end shows a certificate of the cluster's own authority. Names in certificates are not looked at: whoever has
 * one is a node. New connections get what was read last. Any thread.
 */
public final class NodeTls {
    private final FromFiles<Contexts> contexts;
    private final RevokedCertificates revoked;
    private final RevocationWatch watch;

    private record Contexts(SslContext asking, SslContext answering) {}

    /** Makes contexts of ends that connect. */
    private static final TlsFiles.KeyTaker<SslContextBuilder> CONNECTING = new TlsFiles.KeyTaker<>() {
        @Override
        public SslContextBuilder of(PrivateKey key, X509Certificate[] chain) {
            return SslContextBuilder.forClient().keyManager(key, chain);
        }

        @Override
        public SslContextBuilder of(KeyManagerFactory keys) {
            return SslContextBuilder.forClient().keyManager(keys);
        }
    };

    /**
     * Reads the files. Blocks.
     *
     * @param revoked certificates of nodes that are nodes no more
     * @throws IOException a file cannot be read, or is not what it should be; in one line
     */
    public NodeTls(TlsFiles files, RevokedCertificates revoked) throws IOException {
        this.revoked = revoked;
        watch = new RevocationWatch(revoked, () -> {});
        contexts = new FromFiles<>(files::content, _ -> made(files, revoked));
    }

    /** Closes connections of nodes whose certificate is revoked later, once {@link #reload} has read of it. */
    public RevocationWatch watch() {
        return watch;
    }

    /** For a connection to another node that begins now. */
    public SslContext asking() {
        return contexts.get().asking();
    }

    /** For a connection of another node that begins now. */
    public SslContext answering() {
        return contexts.get().answering();
    }

    /**
     * Reads the files again if they have changed, and the lists of revoked certificates. Blocks.
     *
     * @return whether any had
     * @throws IOException as when it is made; what was read before stays
     */
    public boolean reload() throws IOException {
        boolean listed = revoked.reload();
        return contexts.reload() || listed;
    }

    /** Issuers of lists that should have been replaced by now, each once. */
    public List<String> newlyOutdated(Instant now) {
        return revoked.newlyOutdated(now);
    }

    private static Contexts made(TlsFiles files, RevokedCertificates revoked) throws IOException {
        try {
            SslContextBuilder asking = files.keys(CONNECTING).endpointIdentificationAlgorithm(null);
            SslContextBuilder answering = files.keys(ServerTls.LISTENER).clientAuth(ClientAuth.REQUIRE);
            return new Contexts(finished(asking, files, revoked), finished(answering, files, revoked));
        } catch (GeneralSecurityException | IllegalArgumentException e) {
            throw files.unusable(e);
        }
    }

    private static SslContext finished(SslContextBuilder builder, TlsFiles files, RevokedCertificates revoked)
            throws IOException {
        return builder.sslProvider(TlsFiles.PROVIDER)
                .protocols("TLSv1.3")
                .trustManager(CertificateTrust.in(files.authorities(), revoked))
                .build();
    }
}
