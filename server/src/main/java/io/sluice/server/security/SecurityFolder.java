package io.sluice.server.security;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.sluice.broker.identity.CertificateAuthority;
import io.sluice.broker.identity.CertificateAuthority.Issued;
import io.sluice.broker.identity.TokenKeys;
import io.sluice.broker.identity.Tokens;
import io.sluice.server.wiring.StartException;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.ByteBuffer;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Folder with the files of a first server with TLS and logins, and of its clients. Settings name the files by absolute paths. */
final class SecurityFolder {
    /** Name of the list of certificates of clients that the authority has revoked. */
    static final String REVOKED = "revoked.pem";

    /** Name of the list of certificates that the authority of the nodes has revoked. */
    static final String REVOKED_NODES = "node-revoked.pem";

    static final Duration OF_AUTHORITY = Duration.ofDays(3_650);
    static final Duration OF_OTHERS = Duration.ofDays(365);
    static final String NODE = "Sluice node";
    private static final int SECRET_BYTES = 32;
    private static final int PASSWORD_BYTES = 24;
    /** They go into files of three forms, where other characters would mean something. */
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9._@-]{1,64}");

    private static final Pattern HOST =
            Pattern.compile("[A-Za-z0-9][A-Za-z0-9.-]{0,252}|[0-9a-fA-F:.]*:[0-9a-fA-F:.]*");
    private static final Pattern PATH = Pattern.compile("[^\\p{Cntrl}\\\\\"]+");

    private final Path path;
    private final List<String> hosts;
    private final String admin;
    private final Issued authority;
    private final Issued server;
    private final Issued nodeAuthority;
    private final Issued node;

    private SecurityFolder(Path path, List<String> hosts, String admin, CertificateAuthority authority) {
        this.path = path;
        this.hosts = hosts;
        this.admin = admin;
        this.authority = authority.self();
        this.server = authority.server(hosts, OF_OTHERS);
        CertificateAuthority ofNodes = CertificateAuthority.of("Sluice nodes' authority", OF_AUTHORITY);
        this.nodeAuthority = ofNodes.self();
        this.node = ofNodes.node(NODE, OF_OTHERS);
    }

    /** Whether files of all forms take it for the name of a user. */
    static boolean isName(String name) {
        return NAME.matcher(name).matches();
    }

    /** @throws StartException a name is none, in one line; nothing has been written */
    static SecurityFolder of(Path path, List<String> hosts, String admin) throws StartException {
        if (!isName(admin)) {
            throw new StartException(
                    "--admin is '" + admin + "', expected are 1 to 64 letters, digits and any of . _ @ -");
        }
        for (String host : hosts) {
            if (!HOST.matcher(host).matches()) {
                throw new StartException("--hosts has '" + host + "', expected are names and addresses of hosts");
            }
        }
        Path whole = path.toAbsolutePath().normalize();
        if (!PATH.matcher(whole.toString()).matches()) {
            throw new StartException("--out has a character that files of settings would read otherwise");
        }
        try {
            return new SecurityFolder(
                    whole, List.copyOf(hosts), admin, CertificateAuthority.of("Sluice authority", OF_AUTHORITY));
        } catch (IllegalArgumentException e) {
            throw new StartException("--hosts: " + e.getMessage());
        }
    }

    Path path() {
        return path;
    }

    Path settings() {
        return path.resolve("sluice.yaml");
    }

    Path kafkaClient() {
        return path.resolve("client.properties");
    }

    Path pulsarClient() {
        return path.resolve("client.conf");
    }

    private Path file(String name) {
        return path.resolve(name);
    }

    /** @throws FileAlreadyExistsException the folder is not empty, or is no folder */
    void write() throws IOException {
        Files.createDirectories(path);
        try (Stream<Path> there = Files.list(path)) {
            var first = there.findFirst();
            if (first.isPresent()) {
                throw new FileAlreadyExistsException(first.get().toString());
            }
        }
        var random = new SecureRandom();
        String password = Base64.getUrlEncoder().withoutPadding().encodeToString(bytes(random, PASSWORD_BYTES));
        writeForAll("ca.pem", authority.certificatePem());
        writeSecret("ca-key.pem", authority.keyPem());
        writeForAll(REVOKED, CertificateAuthority.of(authority).revocationList(List.of(), OF_AUTHORITY));
        writeForAll("server.pem", server.certificatePem());
        writeSecret("server-key.pem", server.keyPem());
        writeForAll("node-ca.pem", nodeAuthority.certificatePem());
        writeSecret("node-ca-key.pem", nodeAuthority.keyPem());
        writeForAll(REVOKED_NODES, CertificateAuthority.of(nodeAuthority).revocationList(List.of(), OF_AUTHORITY));
        writeForAll("node.pem", node.certificatePem());
        writeSecret("node-key.pem", node.keyPem());
        writeSecret("token-secret", Base64.getEncoder().encodeToString(bytes(random, SECRET_BYTES)) + '\n');
        writeSecret("users", admin + ':' + password + '\n');
        writeSecret(
                "token",
                Tokens.sign(
                        TokenKeys.secret(file("token-secret")),
                        admin,
                        Set.of(),
                        Instant.now().plus(OF_OTHERS)));
        writeSecret("client.properties", kafkaClientText(password));
        writeForAll("client.conf", pulsarClientText());
        writeForAll("sluice.yaml", settingsText());
    }

    private static byte[] bytes(SecureRandom random, int count) {
        byte[] bytes = new byte[count];
        random.nextBytes(bytes);
        return bytes;
    }

    private void writeForAll(String name, String text) throws IOException {
        writeForAll(file(name), text);
    }

    private void writeSecret(String name, String text) throws IOException {
        writeSecret(file(name), text);
    }

    static void writeForAll(Path file, String text) throws IOException {
        Files.writeString(file, text, StandardOpenOption.CREATE_NEW);
    }

    /** Readable by its owner alone from the moment it is made. */
    static void writeSecret(Path file, String text) throws IOException {
        write(file, text, "rw-------");
    }

    /** Whole, or not at all. */
    static void replace(Path file, String text, String permissions) throws IOException {
        Path next = file.resolveSibling(file.getFileName() + ".next");
        Files.deleteIfExists(next);
        write(next, text, permissions);
        Files.move(next, file, StandardCopyOption.ATOMIC_MOVE);
    }

    private static void write(Path file, String text, String permissions) throws IOException {
        var mine = PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(permissions));
        Set<StandardOpenOption> options = EnumSet.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
        try (var channel = Files.newByteChannel(file, options, mine)) {
            var bytes = ByteBuffer.wrap(text.getBytes(UTF_8));
            while (bytes.hasRemaining()) {
                channel.write(bytes);
            }
        }
    }

    private static boolean isOfThisMachine(String host) {
        if (host.equals("localhost")) {
            return true;
        }
        try {
            return InetAddress.ofLiteral(host).isLoopbackAddress();
        } catch (IllegalArgumentException e) {
            return false; // a name
        }
    }

    private String settingsText() {
        String listen = hosts.stream().allMatch(SecurityFolder::isOfThisMachine) ? "127.0.0.1" : "0.0.0.0";
        return """
                # Made by sluice security init; see docs/security.md.
                kafka: {host: %1$s, advertisedHost: '%2$s', tls: true, authentication: 'scram, token'}
                pulsar: {host: %1$s, advertisedHost: '%2$s', tls: true, authentication: 'token, password'}
                http: {host: %1$s, advertisedHost: '%2$s', tls: true, authentication: 'token, password'}
                security:
                  tls: {certificate: '%3$s', key: '%4$s', clientAuthorities: '%11$s',
                    revokedCertificates: '%12$s'}
                  certificateNames: 'RULE:^CN=([^,]*)$/$1/,DEFAULT'
                  tokens: {secretFile: '%5$s'}
                  initialUsers: '%6$s'
                  authorization: true
                  superUsers: 'User:%7$s'
                # Of the nodes of a cluster (sluice server), each with these files; http has authorities: '%11$s', too:
                # internal: {tls: {certificate: '%8$s', key: '%9$s', authorities: '%10$s', revokedCertificates: '%13$s'}}
                """.formatted(
                        listen,
                        hosts.getFirst(),
                        quoted("server.pem"),
                        quoted("server-key.pem"),
                        quoted("token-secret"),
                        quoted("users"),
                        admin,
                        quoted("node.pem"),
                        quoted("node-key.pem"),
                        quoted("node-ca.pem"),
                        quoted("ca.pem"),
                        quoted(REVOKED),
                        quoted(REVOKED_NODES));
    }

    /** For a text of YAML in single quotes. */
    private String quoted(String name) {
        return file(name).toString().replace("'", "''");
    }

    /** Host as URLs have it. */
    private String address() {
        String host = hosts.getFirst();
        return host.indexOf(':') >= 0 ? '[' + host + ']' : host;
    }

    private String kafkaClientText(String password) {
        return """
                # Of Kafka's clients and tools (--command-config); made by sluice security init.
                bootstrap.servers=%s:9092
                security.protocol=SASL_SSL
                sasl.mechanism=SCRAM-SHA-512
                sasl.jaas.config=org.apache.kafka.common.security.scram.ScramLoginModule required username="%s" password="%s";
                ssl.truststore.type=PEM
                ssl.truststore.location=%s
                """.formatted(address(), admin, password, file("ca.pem"));
    }

    private String pulsarClientText() {
        return """
                # Of Pulsar's tools (PULSAR_CLIENT_CONF); made by sluice security init.
                brokerServiceUrl=pulsar+ssl://%s:6650
                webServiceUrl=https://%s:8080
                authPlugin=org.apache.pulsar.client.impl.auth.AuthenticationToken
                authParams=%s
                tlsTrustCertsFilePath=%s
                tlsAllowInsecureConnection=false
                tlsEnableHostnameVerification=true
                """.formatted(address(), address(), file("token").toUri(), file("ca.pem"));
    }
}
