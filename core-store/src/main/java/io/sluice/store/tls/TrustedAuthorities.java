package io.sluice.store.tls;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.List;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509ExtendedTrustManager;

/** Authorities of a file, which are trusted in place of the system's. */
public final class TrustedAuthorities {
    private TrustedAuthorities() {}

    /**
     * TLS of a client that trusts the authorities in a file, PEM. Blocks.
     *
     * @throws IOException there are none that can be read, in one line
     */
    public static SSLContext in(Path file) throws IOException {
        try {
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(null, new TrustManager[] {trust(file)}, null);
            return context;
        } catch (GeneralSecurityException e) {
            throw unreadable(file, e);
        }
    }

    /**
     * Trust in the authorities in a file, PEM. Blocks.
     *
     * @throws IOException there are none that can be read, in one line
     */
    static X509ExtendedTrustManager trust(Path file) throws IOException {
        try {
            KeyStore trusted = KeyStore.getInstance("PKCS12");
            trusted.load(null, null);
            for (Certificate each : certificates(file)) {
                trusted.setCertificateEntry("authority-" + trusted.size(), each);
            }
            TrustManagerFactory factory = TrustManagerFactory.getInstance("PKIX");
            factory.init(trusted);
            return (X509ExtendedTrustManager) factory.getTrustManagers()[0];
        } catch (GeneralSecurityException e) {
            throw unreadable(file, e);
        }
    }

    /**
     * Certificates in a file, PEM. Blocks.
     *
     * @throws IOException there are none that can be read, in one line
     */
    static List<X509Certificate> certificates(Path file) throws IOException {
        List<X509Certificate> all = new ArrayList<>();
        try (InputStream in = Files.newInputStream(file)) {
            for (Certificate each : CertificateFactory.getInstance("X.509").generateCertificates(in)) {
                all.add((X509Certificate) each);
            }
        } catch (IOException | GeneralSecurityException e) {
            throw unreadable(file, e);
        }
        if (all.isEmpty()) {
            throw unreadable(file, new CertificateException("empty"));
        }
        return all;
    }

    private static IOException unreadable(Path file, Exception e) {
        return new IOException(file + " has no certificates (PEM) that can be read", e);
    }
}
