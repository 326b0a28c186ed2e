package io.sluice.server.config;

/** Identity of clients: certificates, tokens and users. */
public record Security(
        @Described("Let clients of listeners without authentication in that are not on loopback: anybody who reaches"
                + " the port may then do everything.")
        boolean allowAnonymous,

        @Described("The server's certificate.") TlsFiles tls,

        @Described("Tokens (JWT) that are taken.") TokenKeys tokens,

        @Described("Kafka's delegation tokens.") DelegationTokens delegationTokens,

        @Described("Rules from a certificate's distinguished name to a user's name, as Kafka's"
                + " `ssl.principal.mapping.rules`; the first that matches counts. `DEFAULT` is the whole name.")
        String certificateNames,

        @Described(
                "File of `name:password` lines, or `env:NAME` for a variable of the environment; those of them who have never been users become"
                        + " users at the start.")
        String initialUsers,

        @Described("Connections of one client address to all listeners with authentication, at the same time.")
        int connectionsPerAddress,

        @Described(
                "Connections of one user to this node over Kafka's and Pulsar's protocols together, at the same time; a login beyond is"
                        + " refused. A client has a connection or two to each node, and more for each group. 0 is any number.")
        int connectionsPerUser,

        @Described(
                "Subscriptions of one user at this node at the same time: consumers of Pulsar's protocol, a partition or segment each, readers"
                        + " among them, and members of Kafka's groups. One beyond is refused. 0 is any number.")
        int subscriptionsPerUser,

        @Described(
                "How long a client that authenticated is not asked again, in milliseconds; it is closed if it does not authenticate"
                        + " anew by then (KIP-368, Pulsar's challenge). A token's own end may come first. 0 is no limit.")
        long maxSessionMillis,

        @Described(
                "Let clients do only what access rules allow them (Kafka's ACLs), in all protocols. Without it everybody who is"
                        + " let in may do everything.")
        boolean authorization,

        @Described(
                "Who may do everything where there is `authorization`, with semicolons between them: names of users, or"
                        + " `Group:name` for the users of a group.")
        String superUsers,

        @Described(
                "Where there is `authorization`: allow everybody everything on topics, groups and so on to which no rule applies"
                        + " (Kafka's `allow.everyone.if.no.acl.found`).")
        boolean allowWithoutRules,

        @Described(
                "Users that are proxies of Pulsar's, with semicolons between them: each acts for the clients that it names, and is"
                        + " let in for nothing else over Pulsar's protocol and HTTP. Both need the rights.")
        String proxyRoles) {
    private static final long WEEK = 7L * 24 * 3600 * 1000;
    private static final long LONGEST_LIFE = 5_000 * WEEK;

    public Security {
        Checks.given("security.tls", tls);
        Checks.given("security.tokens", tokens);
        Checks.given("security.delegationTokens", delegationTokens);
        Checks.notBlank("security.certificateNames", certificateNames);
        Checks.given("security.initialUsers", initialUsers);
        Checks.inRange("security.connectionsPerAddress", connectionsPerAddress, 1, 1_000_000);
        Checks.inRange("security.connectionsPerUser", connectionsPerUser, 0, 1_000_000);
        Checks.inRange("security.subscriptionsPerUser", subscriptionsPerUser, 0, 10_000_000);
        Checks.inRange("security.maxSessionMillis", maxSessionMillis, 0, Integer.MAX_VALUE);
        Checks.given("security.superUsers", superUsers);
        Checks.given("security.proxyRoles", proxyRoles);
    }

    /** Files of the server's certificate, read again when they change. */
    public record TlsFiles(
            @Described(
                    "File of the server's certificate with those that lead to its authority, PEM; or a PKCS#12 file (`.p12`) with the"
                            + " key in it. Read again when it changes.")
            String certificate,

            @Described("File of the certificate's private key, PEM (PKCS#8), or `env:NAME`.")
            String key,

            @Described("File of the password of the key, or of the PKCS#12 file, or `env:NAME`.")
            String keyPasswordFile,

            @Described(
                    "File of the certificates, PEM, whose clients' certificates are taken where `authentication` has `certificate`.")
            String clientAuthorities,

            @Described(
                    "File of the lists of revoked certificates (CRL) of `clientAuthorities`, PEM or DER. A client whose certificate is in"
                            + " one is refused, and loses the connections that it has within a second. Read again when it changes.")
            String revokedCertificates) {
        public TlsFiles {
            Checks.given("security.tls.certificate", certificate);
            Checks.given("security.tls.key", key);
            Checks.given("security.tls.keyPasswordFile", keyPasswordFile);
            Checks.given("security.tls.clientAuthorities", clientAuthorities);
            Checks.given("security.tls.revokedCertificates", revokedCertificates);
            if (!revokedCertificates.isEmpty() && clientAuthorities.isEmpty()) {
                throw new ConfigException("security.tls.revokedCertificates wants security.tls.clientAuthorities:"
                        + " whose lists they are");
            }
        }
    }

    /** Keys and rules of tokens. */
    public record TokenKeys(
            @Described(
                    "File of the secret with which tokens are signed (HS256 and longer), or `env:NAME`: 32 bytes or more, in base64 or as they"
                            + " are.")
            String secretFile,

            @Described("File of the public key with which tokens' signatures are verified, PEM.")
            String publicKeyFile,

            @Described(
                    "File or https URL of an identity provider's keys (JWKS). A URL is asked again every five minutes, and when a token names a key"
                            + " that is not known; while it does not answer, the keys that are known stay.")
            String jwks,

            @Described("Issuer that a token must name; empty is any.")
            String issuer,

            @Described("Audience that a token must name; empty is any.")
            String audience,

            @Described("Claim with the user's name; with dots where claims are in one another.")
            String nameClaim,

            @Described("Claim with the names of the user's groups, a list or one text; with dots likewise, for example"
                    + " `realm_access.roles`.")
            String groupsClaim) {
        public TokenKeys {
            Checks.given("security.tokens.secretFile", secretFile);
            Checks.given("security.tokens.publicKeyFile", publicKeyFile);
            Checks.given("security.tokens.jwks", jwks);
            Checks.given("security.tokens.issuer", issuer);
            Checks.given("security.tokens.audience", audience);
            Checks.notBlank("security.tokens.nameClaim", nameClaim);
            Checks.notBlank("security.tokens.groupsClaim", groupsClaim);
            if (!jwks.isEmpty() && (issuer.isEmpty() || audience.isEmpty())) {
                throw new ConfigException(
                        "security.tokens.jwks wants security.tokens.issuer and security.tokens.audience:"
                                + " a provider signs tokens for others, too");
            }
        }

        boolean isEmpty() {
            return secretFile.isEmpty() && publicKeyFile.isEmpty() && jwks.isEmpty();
        }
    }

    /** Secret and lives of delegation tokens. */
    public record DelegationTokens(
            @Described(
                    "File of the secret by which delegation tokens are made, the same on all nodes, or `env:NAME`: 32 bytes or more, in base64"
                            + " or as they are (Kafka's `delegation.token.secret.key`). Empty: there are no such tokens. With another"
                            + " secret no token is good that was made before.")
            String secretFile,

            @Described("Longest life of a delegation token in milliseconds, renewed or not"
                    + " (Kafka's `delegation.token.max.lifetime.ms`).")
            long maxLifetimeMillis,

            @Described("Time in milliseconds after which a delegation token expires that is not renewed"
                    + " (Kafka's `delegation.token.expiry.time.ms`).")
            long expiryMillis) {
        public DelegationTokens {
            Checks.given("security.delegationTokens.secretFile", secretFile);
            Checks.inRange("security.delegationTokens.maxLifetimeMillis", maxLifetimeMillis, 1, LONGEST_LIFE);
            Checks.inRange("security.delegationTokens.expiryMillis", expiryMillis, 1, LONGEST_LIFE);
        }
    }

    static Security defaults() {
        return new Security(
                false,
                new TlsFiles("", "", "", "", ""),
                new TokenKeys("", "", "", "", "", "sub", "groups"),
                new DelegationTokens("", WEEK, WEEK / 7),
                "DEFAULT",
                "",
                5_000,
                0,
                0,
                0,
                false,
                "",
                false,
                "");
    }
}
