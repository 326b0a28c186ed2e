package io.sluice.store.wal.bookkeeper;

import java.nio.file.Path;
import org.apache.bookkeeper.conf.AbstractConfiguration;

/**
 * Certificate of a process that talks to bookies, or is one, over TLS. Both ends show one of {@code authorities}; the name in it does not
 * matter, since bookies are told by addresses that come from the metadata. Files that change count for new connections.
 *
 * @param certificate PEM, with those that lead to its authority; for servers and for clients
 * @param key PEM (PKCS#8), without a password
 * @param authorities PEM
 */
public record BookieTls(Path certificate, Path key, Path authorities) {
    private static final String CERTIFICATE = "tlsCertificatePath";
    private static final String KEY = "tlsKeyStore";
    private static final String AUTHORITIES = "tlsTrustStore";

    /** For both ends: BookKeeper's client and its bookie read the same names. */
    public void applyTo(AbstractConfiguration<?> conf) {
        conf.setTLSProviderFactoryClass(BookieTlsHandlers.class.getName());
        conf.setProperty(CERTIFICATE, certificate.toString());
        conf.setProperty(KEY, key.toString());
        conf.setProperty(AUTHORITIES, authorities.toString());
    }

    static BookieTls from(AbstractConfiguration<?> conf) {
        return new BookieTls(
                Path.of(conf.getString(CERTIFICATE)),
                Path.of(conf.getString(KEY)),
                Path.of(conf.getString(AUTHORITIES)));
    }
}
