package io.sluice.server.config;

/** Files of the certificate that bookies, and nodes as their clients, show each other. */
public record BookieTlsFiles(
        @Described(
                "File of the certificate, for servers and for clients, with those that lead to its authority, PEM."
                        + " With it every connection to a bookie has TLS, and each end shows a certificate. Read again when it changes.")
        String certificate,

        @Described("File of the certificate's private key, PEM (PKCS#8), without a password.")
        String key,

        @Described(
                "File of the authority of the nodes' and bookies' certificates, PEM: whoever has a certificate of it reads and writes"
                        + " the whole log, so it is to have no other use.")
        String authorities,

        @Described(
                "File of the lists (CRL) of certificates that this authority has revoked, PEM or DER. Their nodes and bookies are refused,"
                        + " and their open connections closed within seconds. Read again when it changes. Empty: none are.")
        String revokedCertificates) {
    static final BookieTlsFiles NONE = new BookieTlsFiles("", "", "", "");

    public BookieTlsFiles {
        Checks.given("tls.certificate", certificate);
        Checks.given("tls.key", key);
        Checks.given("tls.authorities", authorities);
        Checks.given("tls.revokedCertificates", revokedCertificates);
        if (!revokedCertificates.isEmpty() && authorities.isEmpty()) {
            throw new ConfigException("a bookie's tls.revokedCertificates wants authorities, whose lists they are");
        }
        if (certificate.isEmpty() != key.isEmpty() || certificate.isEmpty() != authorities.isEmpty()) {
            throw new ConfigException("a bookie's tls wants certificate, key and authorities, all three");
        }
    }

    /** Whether there are any. */
    public boolean given() {
        return !certificate.isEmpty();
    }
}
