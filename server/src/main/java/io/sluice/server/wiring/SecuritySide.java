package io.sluice.server.wiring;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.netty.handler.ssl.ClientAuth;
import io.sluice.broker.access.AccessRule;
import io.sluice.broker.access.AccessRules;
import io.sluice.broker.access.AuditLog;
import io.sluice.broker.access.AuditedAuthorizer;
import io.sluice.broker.access.Authentication;
import io.sluice.broker.access.Authorizer;
import io.sluice.broker.access.RuleAuthorizer;
import io.sluice.broker.identity.CertificateNames;
import io.sluice.broker.identity.ClientBounds;
import io.sluice.broker.identity.DelegationTokens;
import io.sluice.broker.identity.Identities;
import io.sluice.broker.identity.ListenerSecurity;
import io.sluice.broker.identity.ProxyRoles;
import io.sluice.broker.identity.SecretPlace;
import io.sluice.broker.identity.ServerTls;
import io.sluice.broker.identity.TlsFiles;
import io.sluice.broker.identity.TokenRules;
import io.sluice.broker.identity.Tokens;
import io.sluice.broker.identity.User;
import io.sluice.broker.identity.Users;
import io.sluice.server.config.Security;
import io.sluice.server.http.HttpPort;
import io.sluice.store.cluster.Metadata;
import io.sluice.store.tls.RevokedCertificates;
import java.io.IOException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Identity of clients, wired on the metadata and on files, which are read again while the server runs. */
final class SecuritySide implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(SecuritySide.class);
    private static final Duration PAUSE = Duration.ofSeconds(5);
    private static final Duration REVOCATION_PAUSE = Duration.ofMillis(200);
    private static final int ROUNDS_PER_PROVIDER = 60;

    private final Security security;
    private final Users users;
    private final Tokens tokens;
    private final DelegationTokens delegationTokens;
    private final RevokedCertificates revoked;
    private final Identities identities;
    private final @Nullable AccessRules rules;
    private final Authorizer authorizer;
    private final List<ServerTls> certificates = new CopyOnWriteArrayList<>();
    private final Rounds reading;
    private final Rounds readingRevoked;
    private volatile @Nullable ServerTls httpTls;
    private volatile @Nullable HttpPort httpPort;
    private int round;
    /** Why the lists of revoked certificates could not be read last; empty if they could. By its round only. */
    private String revokedFailure = "";

    private SecuritySide(Security security, Metadata metadata) throws IOException, StartException {
        this.security = security;
        Security.TokenKeys keys = security.tokens();
        tokens = new Tokens(new TokenRules(
                keys.secretFile(),
                keys.publicKeyFile(),
                keys.jwks(),
                keys.issuer(),
                keys.audience(),
                keys.nameClaim(),
                keys.groupsClaim()));
        tokens.load();
        attempt(tokens::loadProvider); // which may be away; it is asked again
        users = new Users(metadata, Executors.newVirtualThreadPerTaskExecutor());
        users.load();
        Security.DelegationTokens delegation = security.delegationTokens();
        delegationTokens = new DelegationTokens(
                metadata,
                Executors.newVirtualThreadPerTaskExecutor(),
                delegation.secretFile(),
                new DelegationTokens.Lifetimes(delegation.maxLifetimeMillis(), delegation.expiryMillis()),
                System::currentTimeMillis);
        delegationTokens.load();
        Security.TlsFiles tls = security.tls();
        revoked = tls.revokedCertificates().isEmpty()
                ? RevokedCertificates.NONE
                : new RevokedCertificates(Path.of(tls.revokedCertificates()), Path.of(tls.clientAuthorities()));
        tellOutdated();
        identities = new Identities(
                users,
                tokens,
                CertificateNames.parse(security.certificateNames()),
                new ClientBounds(
                        security.connectionsPerAddress(),
                        security.connectionsPerUser(),
                        security.subscriptionsPerUser()),
                security.maxSessionMillis(),
                delegationTokens,
                revoked,
                new ProxyRoles(names(security.proxyRoles()).collect(Collectors.toSet())));
        addInitialUsers();
        if (security.authorization()) {
            rules = new AccessRules(metadata, Executors.newVirtualThreadPerTaskExecutor());
            rules.load();
            authorizer = new AuditedAuthorizer(
                    new RuleAuthorizer(rules, superUsers(), security.allowWithoutRules()), identities.audit());
        } else {
            rules = null;
            authorizer = Authorizer.ALLOW_ALL;
        }
        reading = Rounds.start("security files", Thread.ofVirtual(), PAUSE, PAUSE, this::readAgain);
        readingRevoked = Rounds.start(
                "revoked certificates", Thread.ofVirtual(), REVOCATION_PAUSE, REVOCATION_PAUSE, this::readRevoked);
    }

    /** @throws StartException a file cannot be used, or the metadata store does not answer */
    static SecuritySide open(Security security, Metadata metadata) throws StartException {
        try {
            return new SecuritySide(security, metadata);
        } catch (IOException e) {
            throw new StartException("security: " + e.getMessage());
        } catch (IllegalArgumentException e) {
            throw new StartException("security.certificateNames: " + e.getMessage());
        }
    }

    Users users() {
        return users;
    }

    DelegationTokens delegationTokens() {
        return delegationTokens;
    }

    /** Decides for all protocols. */
    Authorizer authorizer() {
        return authorizer;
    }

    /** Null where everybody may do everything. */
    @Nullable
    AccessRules rules() {
        return rules;
    }

    private static Stream<String> names(String setting) {
        return Arrays.stream(setting.split(";")).map(String::strip).filter(name -> !name.isEmpty());
    }

    private Set<String> superUsers() {
        return names(security.superUsers())
                .map(name -> name.startsWith(AccessRule.USER) || name.startsWith(AccessRule.GROUP)
                        ? name
                        : AccessRule.USER + name)
                .collect(Collectors.toSet());
    }

    /** @param listener name of the listener in the settings */
    ListenerSecurity of(String listener, boolean tls, Set<Authentication> ways) throws StartException {
        try {
            return new ListenerSecurity(tls ? certificate(ways) : null, ways, identities);
        } catch (IOException e) {
            throw new StartException(listener + ".tls: " + e.getMessage());
        }
    }

    private ServerTls certificate(Set<Authentication> ways) throws IOException {
        var made = new ServerTls(
                files(security, ways),
                ways.contains(Authentication.CERTIFICATE)
                        ? ways.size() == 1 ? ClientAuth.REQUIRE : ClientAuth.OPTIONAL
                        : ClientAuth.NONE,
                revoked);
        certificates.add(made);
        return made;
    }

    /** Files of a listener whose clients take these ways. */
    static TlsFiles files(Security security, Set<Authentication> ways) {
        Security.TlsFiles files = security.tls();
        return new TlsFiles(
                Path.of(files.certificate()),
                files.key(),
                files.keyPasswordFile().isEmpty() ? null : files.keyPasswordFile(),
                Path.of(ways.contains(Authentication.CERTIFICATE) ? files.clientAuthorities() : ""));
    }

    /**
     * Rules of the HTTP listener, which has been opened with its certificate.
     *
     * @param port gets the certificate anew when its files have changed
     */
    ListenerSecurity ofHttp(boolean tls, Set<Authentication> ways, HttpPort port) throws StartException {
        ListenerSecurity rules = of("http", tls, ways);
        httpTls = rules.tls();
        httpPort = port;
        return rules;
    }

    private void addInitialUsers() throws IOException, StartException {
        if (security.initialUsers().isEmpty()) {
            return;
        }
        String place = security.initialUsers();
        List<String> lines;
        try {
            lines = new String(SecretPlace.read(place), UTF_8).lines().toList();
        } catch (IOException e) {
            throw new StartException("security.initialUsers: cannot read " + place + ": " + e.getMessage());
        }
        for (String line : lines) {
            int colon = line.lastIndexOf(':');
            if (line.isBlank() || line.startsWith("#")) {
                continue;
            }
            if (colon < 1 || colon == line.length() - 1) {
                throw new StartException("security.initialUsers: " + place + " has a line that is not name:password");
            }
            addIfNew(line.substring(0, colon), line.substring(colon + 1));
        }
    }

    private void addIfNew(String name, String password) throws IOException, StartException {
        try {
            if (users.addIfNew(name, () -> User.of(name, Set.of(), password, new SecureRandom()))) {
                AuditLog.userBySetting("security.initialUsers", name);
            }
        } catch (Users.RefusedException e) {
            throw new StartException("security.initialUsers: " + e.getMessage());
        }
    }

    private void readAgain() {
        attempt(tokens::load);
        tellOutdated();
        attempt(delegationTokens::loadSecret);
        attempt(delegationTokens::removeExpired);
        if (++round % ROUNDS_PER_PROVIDER == 0) {
            attempt(tokens::loadProvider);
        }
        certificates.forEach(each -> attempt(() -> {
            if (each.reload()) {
                HttpPort http = httpPort;
                if (http != null && each == httpTls) {
                    http.renewCertificate();
                }
                log.info(
                        "New connections get the changed certificate {}",
                        security.tls().certificate());
            }
        }));
    }

    /** Comes often: a failure is told when it begins. */
    private void readRevoked() {
        try {
            if (revoked.reload()) {
                log.info(
                        "The lists of revoked certificates have changed: {}",
                        security.tls().revokedCertificates());
            }
            revokedFailure = "";
        } catch (IOException e) {
            String failure = String.valueOf(e.getMessage());
            if (!failure.equals(revokedFailure)) {
                log.warn("The lists of revoked certificates stay as they were: {}", failure);
            }
            revokedFailure = failure;
        }
    }

    private void tellOutdated() {
        for (String issuer : revoked.newlyOutdated(Instant.now())) {
            log.warn(
                    "The list of revoked certificates of {} should have been replaced by now: {}. It still counts",
                    issuer,
                    security.tls().revokedCertificates());
        }
    }

    private interface Reading {
        void read() throws IOException;
    }

    /** Keeps what was read before where a file cannot be read. */
    private static void attempt(Reading reading) {
        try {
            reading.read();
        } catch (IOException e) {
            log.warn("Keys and certificates stay as they were: {}", e.getMessage());
        }
    }

    @Override
    public void close() throws InterruptedException {
        reading.close();
        readingRevoked.close();
        users.close();
        delegationTokens.close();
        if (rules != null) {
            rules.close();
        }
    }
}
