package io.sluice.tiering.objectstore.s3;

import io.sluice.tiering.objectstore.ObjectStoreException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.util.Collection;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;

/** Authorities of servers' certificates, from a file, in the place of those that come with the JDK. */
final class OwnAuthorities {
    private OwnAuthorities() {}

    /**
     * Reads them.
     *
     * @param file PEM
     * @throws ObjectStoreException it cannot be read, or has no certificate; in one line
     */
    static TrustManager[] read(Path file) throws ObjectStoreException {
        try (InputStream in = Files.newInputStream(file)) {
            Collection<? extends Certificate> found =
                    CertificateFactory.getInstance("X.509").generateCertificates(in);
            if (found.isEmpty()) {
                throw new CertificateException("none in it");
            }
            KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
            store.load(null, null);
            for (Certificate each : found) {
                store.setCertificateEntry("authority-" + store.size(), each);
            }
            var trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
            trust.init(store);
            return trust.getTrustManagers();
        } catch (NoSuchFileException e) {
            throw new ObjectStoreException.Denied("tier.s3.authorities: " + file + " does not exist", e);
        } catch (IOException | GeneralSecurityException e) {
            throw new ObjectStoreException.Denied(
                    "tier.s3.authorities: " + file + " has no certificates (PEM): " + e.getMessage(), e);
        }
    }
}
