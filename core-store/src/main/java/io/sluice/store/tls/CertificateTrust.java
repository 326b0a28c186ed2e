package io.sluice.store.tls;

import io.netty.handler.ssl.OpenSsl;
import io.netty.handler.ssl.OpenSslCertificateException;
import io.netty.handler.ssl.SslProvider;
import java.io.IOException;
import java.net.Socket;
import java.nio.file.Path;
import java.security.cert.CertPathBuilderException;
import java.security.cert.CertPathValidatorException;
import java.security.cert.CertPathValidatorException.BasicReason;
import java.security.cert.CertificateException;
import java.security.cert.PKIXReason;
import java.security.cert.X509Certificate;
import java.util.Set;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509ExtendedTrustManager;

/**
 * Trust in the authorities of a file, as the JDK has it, made so that the other end hears why its certificate is refused.
 *
 * <ul>
 *   <li>A refusal says to BoringSSL which alert it sends. Otherwise that is {@code internal_error}, as if the server were broken.
 *   <li>The authorities are not named in the handshake. Clients that are told them keep back a certificate of another (the JDK's and
 *       librdkafka), and hear that they have shown none, or nothing.
 * </ul>
 */
public final class CertificateTrust extends X509ExtendedTrustManager {
    /** BoringSSL where it runs, else the JDK. */
    public static final SslProvider PROVIDER = OpenSsl.isAvailable() ? SslProvider.OPENSSL : SslProvider.JDK;

    /** Results of OpenSSL's verification, for which BoringSSL sends unknown_ca, unsupported_certificate and bad_certificate. */
    private static final int NO_ISSUER = 20;

    private static final int WRONG_PURPOSE = 26;
    private static final int REJECTED = 28;

    /** Netty finds them by itself. */
    private static final Set<CertPathValidatorException.Reason> KNOWN =
            Set.of(BasicReason.EXPIRED, BasicReason.NOT_YET_VALID, BasicReason.REVOKED);

    private final X509ExtendedTrustManager trust;
    private final RevokedCertificates revoked;

    private CertificateTrust(X509ExtendedTrustManager trust, RevokedCertificates revoked) {
        this.trust = trust;
        this.revoked = revoked;
    }

    /**
     * Reads the authorities. Blocks.
     *
     * @param authorities file of certificates, PEM
     * @param revoked by these authorities
     */
    public static TrustManager in(Path authorities, RevokedCertificates revoked) throws IOException {
        return new CertificateTrust(TrustedAuthorities.trust(authorities), revoked);
    }

    private interface Check {
        void run() throws CertificateException;
    }

    private void check(X509Certificate[] chain, Check check) throws CertificateException {
        try {
            check.run();
            if (revoked.hasAny(chain)) {
                throw new CertificateException(
                        "a certificate is revoked",
                        new CertPathValidatorException("revoked", null, null, -1, BasicReason.REVOKED));
            }
        } catch (CertificateException e) {
            throw PROVIDER == SslProvider.OPENSSL ? told(e) : e;
        }
    }

    private static CertificateException told(CertificateException refusal) {
        for (Throwable cause = refusal.getCause(); cause != null; cause = cause.getCause()) {
            if (cause instanceof CertPathBuilderException) {
                return new OpenSslCertificateException(refusal, NO_ISSUER);
            }
            if (cause instanceof CertPathValidatorException invalid) {
                CertPathValidatorException.Reason reason = invalid.getReason();
                if (reason == PKIXReason.NO_TRUST_ANCHOR || reason == BasicReason.INVALID_SIGNATURE) {
                    return new OpenSslCertificateException(refusal, NO_ISSUER);
                }
                if (KNOWN.contains(reason)) {
                    return refusal;
                }
            }
        }
        boolean ofPurpose = String.valueOf(refusal.getMessage()).contains("usage");
        return new OpenSslCertificateException(refusal, ofPurpose ? WRONG_PURPOSE : REJECTED);
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine) throws CertificateException {
        check(chain, () -> trust.checkClientTrusted(chain, type, engine));
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine) throws CertificateException {
        check(chain, () -> trust.checkServerTrusted(chain, type, engine));
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket) throws CertificateException {
        check(chain, () -> trust.checkClientTrusted(chain, type, socket));
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket) throws CertificateException {
        check(chain, () -> trust.checkServerTrusted(chain, type, socket));
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type) throws CertificateException {
        check(chain, () -> trust.checkClientTrusted(chain, type));
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type) throws CertificateException {
        check(chain, () -> trust.checkServerTrusted(chain, type));
    }

    @Override
    public X509Certificate[] getAcceptedIssuers() {
        return new X509Certificate[0];
    }
}
