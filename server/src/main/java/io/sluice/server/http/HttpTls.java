package io.sluice.server.http;

import io.sluice.broker.identity.TlsFiles;
import io.vertx.core.http.ClientAuth;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.net.KeyCertOptions;
import io.vertx.core.net.PemTrustOptions;
import io.vertx.core.net.ServerSSLOptions;
import java.io.IOException;
import java.util.Set;

/**
 * TLS of the HTTP listener: 1.2 and 1.3.
 *
 * @param files of the certificate, and of the authorities of clients' certificates
 * @param clients whether a client's certificate is asked for
 */
public record HttpTls(TlsFiles files, ClientAuth clients) {
    private static final Set<String> VERSIONS = Set.of("TLSv1.3", "TLSv1.2");

    /** @throws IOException a file cannot be used, in one line */
    void applyTo(HttpServerOptions options) throws IOException {
        options.setSsl(true)
                .setKeyCertOptions(KeyCertOptions.wrap(files.keyManagers()))
                .setClientAuth(clients)
                .setEnabledSecureTransportProtocols(VERSIONS)
                .setUseAlpn(false);
        if (clients != ClientAuth.NONE) {
            options.setTrustOptions(trust());
        }
    }

    /** @throws IOException a file cannot be used, in one line */
    ServerSSLOptions options() throws IOException {
        ServerSSLOptions options = new ServerSSLOptions()
                .setKeyCertOptions(KeyCertOptions.wrap(files.keyManagers()))
                .setClientAuth(clients)
                .setEnabledSecureTransportProtocols(VERSIONS)
                .setUseAlpn(false);
        return clients == ClientAuth.NONE ? options : options.setTrustOptions(trust());
    }

    private PemTrustOptions trust() {
        return new PemTrustOptions().addCertPath(files.authorities().toString());
    }
}
