package io.sluice.store.wal.bookkeeper;

import java.nio.file.Path;
import org.apache.bookkeeper.conf.AbstractConfiguration;
import org.jspecify.annotations.Nullable;

/**
 * Certificate of a process that talks to bookies, or is one, over TLS. Both ends show one of {@code authorities}; the name in it does not
 * matter, since bookies are told by addresses that come from the metadata. Files that change count for new connections, lists of revoked
 * certificates for open ones, too.
 *
 * @param certificate PEM, with those that lead to its authority; for servers and for clients
 * @param key PEM (PKCS#8), without a password
 * @param authorities PEM
 * @param revoked lists (CRL) of these authorities, PEM or DER; null for none
 */
public record BookieTls(
        Path certificate,
        Path key,
        Path authorities,
        @Nullable Path revoked) {
    private static final String CERTIFICATE = "tlsCertificatePath";
    private static final String KEY = "tlsKeyStore";
    private static final String AUTHORITIES = "tlsTrustStore";
    /** BookKeeper has no such setting. */
    private static final String REVOKED = "sluiceTlsRevokedCertificates";

    public BookieTls(Path certificate, Path key, Path authorities) {
        this(certificate, key, authorities, null);
    }

    /** For both ends: BookKeeper's client and its bookie read the same names. */
    public void applyTo(AbstractConfiguration<?> conf) {
        conf.setTLSProviderFactoryClass(BookieTlsHandlers.class.getName());
        conf.setProperty(CERTIFICATE, certificate.toString());
        conf.setProperty(KEY, key.toString());
        conf.setProperty(AUTHORITIES, authorities.toString());
        conf.setProperty(REVOKED, revoked == null ? "" : revoked.toString());
    }

    static BookieTls from(AbstractConfiguration<?> conf) {
        String revoked = conf.getString(REVOKED, "");
        return new BookieTls(
                Path.of(conf.getString(CERTIFICATE)),
                Path.of(conf.getString(KEY)),
                Path.of(conf.getString(AUTHORITIES)),
                revoked.isEmpty() ? null : Path.of(revoked));
    }
}
