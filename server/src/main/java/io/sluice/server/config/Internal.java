package io.sluice.server.config;

/** The listener for the other nodes of the cluster. */
public record Internal(
        @Described("*`server` only.* Address to listen on; only the other nodes are to reach it.")
        String host,

        @Described("*`server` only.* Port to listen on; 0 takes any free one.")
        int port,

        @Described("*`server` only.* Host name or address that the other nodes connect to; empty means `host`.")
        String advertisedHost,

        @Described("*`server` only.* Port that the other nodes connect to; 0 means the port listened on.")
        int advertisedPort,

        @Described(
                "*`server` only.* File of a secret that the nodes share and prove to each other that they know, or `env:NAME` for a variable"
                        + " of the environment: 32 bytes or more. Of several lines the first is proved, and each is taken. Read again when"
                        + " it changes. Where there is `tls`, too, both are wanted.")
        String secretFile,

        @Described("*`server` only.* Certificates by which nodes know each other.")
        NodeTlsFiles tls) {
    public Internal {
        Checks.notBlank("internal.host", host);
        Checks.inRange("internal.port", port, 0, 65_535);
        Checks.given("internal.advertisedHost", advertisedHost);
        Checks.inRange("internal.advertisedPort", advertisedPort, 0, 65_535);
        Checks.given("internal.secretFile", secretFile);
        Checks.given("internal.tls", tls);
    }

    /** Files of a node's certificate, read again when they change. */
    public record NodeTlsFiles(
            @Described(
                    "*`server` only.* File of this node's certificate with those that lead to its authority, PEM; or a PKCS#12 file (`.p12`)"
                            + " with the key in it. With it, nodes speak TLS 1.3 to each other, and each shows its certificate."
                            + " Read again when it changes.")
            String certificate,

            @Described("*`server` only.* File of the certificate's private key, PEM (PKCS#8), or `env:NAME`.")
            String key,

            @Described("*`server` only.* File of the password of the key, or of the PKCS#12 file, or `env:NAME`.")
            String keyPasswordFile,

            @Described(
                    "*`server` only.* File of the authority of the nodes' certificates, PEM: whoever has a certificate of it is a node and"
                            + " may do everything, so it is to have no other use.")
            String authorities,

            @Described(
                    "*`server` only.* File of the lists (CRL) of certificates that this authority has revoked, PEM or DER. Their nodes are"
                            + " refused, and their open connections closed within seconds. Read again when it changes. Empty: none are.")
            String revokedCertificates) {
        public NodeTlsFiles {
            Checks.given("internal.tls.certificate", certificate);
            Checks.given("internal.tls.key", key);
            Checks.given("internal.tls.keyPasswordFile", keyPasswordFile);
            Checks.given("internal.tls.authorities", authorities);
            Checks.given("internal.tls.revokedCertificates", revokedCertificates);
            if (!revokedCertificates.isEmpty() && authorities.isEmpty()) {
                throw new ConfigException("internal.tls.revokedCertificates wants authorities, whose lists they are");
            }
            if (certificate.isEmpty() != authorities.isEmpty()) {
                throw new ConfigException("internal.tls wants both certificate and authorities");
            }
        }

        /** Whether there are any. */
        public boolean given() {
            return !certificate.isEmpty();
        }
    }

    /** Whether nodes prove to each other that they are nodes. */
    boolean asksForProof() {
        return tls.given() || !secretFile.isEmpty();
    }

    static Internal defaults() {
        return new Internal("127.0.0.1", 6652, "", 0, "", new NodeTlsFiles("", "", "", "", ""));
    }
}
