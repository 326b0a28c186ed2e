package io.sluice.server.security;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.broker.identity.CertificateAuthority.Issued;
import io.sluice.broker.identity.CertificateNames;
import io.sluice.broker.identity.NodeTls;
import io.sluice.broker.identity.TlsFiles;
import io.sluice.server.config.ConfigFile;
import io.sluice.store.tls.RevokedCertificates;
import java.io.InputStream;
import java.math.BigInteger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.cert.CertificateFactory;
import java.security.cert.X509CRL;
import java.security.cert.X509CRLEntry;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The files that {@code sluice security} writes. */
class SecurityFilesTest {
    private static final List<String> SECRETS = List.of(
            "ca-key.pem",
            "client.properties",
            "node-ca-key.pem",
            "node-key.pem",
            "server-key.pem",
            "token",
            "token-secret",
            "users");
    private static final List<String> OPEN = List.of(
            "ca.pem",
            "client.conf",
            "node-ca.pem",
            "node-revoked.pem",
            "node.pem",
            "revoked.pem",
            "server.pem",
            "sluice.yaml");

    @TempDir
    private static Path folder;

    private static Path made;

    @BeforeAll
    static void init() {
        made = folder.resolve("it's secure");
        CommandRun init = CommandRun.of("security", "init", "--out", made.toString(), "--admin", "root");
        assertThat(init.code()).as(init.err()).isZero();
        assertThat(init.out()).contains("./sluice standalone --config " + made.resolve("sluice.yaml"));
    }

    @Test
    void secretsAreForTheirOwnerAlone() throws Exception {
        for (String secret : SECRETS) {
            assertThat(Files.getPosixFilePermissions(made.resolve(secret)))
                    .as(secret)
                    .isEqualTo(PosixFilePermissions.fromString("rw-------"));
        }
        try (var files = Files.list(made)) {
            Set<String> names =
                    Set.copyOf(files.map(file -> file.getFileName().toString()).toList());
            assertThat(names)
                    .hasSize(SECRETS.size() + OPEN.size())
                    .containsAll(SECRETS)
                    .containsAll(OPEN);
        }
        String password = Files.readString(made.resolve("users")).strip().split(":")[1];
        for (String open : OPEN) {
            assertThat(Files.readString(made.resolve(open))).as(open).doesNotContain(password, "PRIVATE KEY");
        }
    }

    @Test
    void overwritesNothing() throws Exception {
        String before = Files.readString(made.resolve("users"));
        CommandRun again = CommandRun.of("security", "init", "--out", made.toString());
        assertThat(again.code()).isEqualTo(1);
        assertThat(again.err())
                .startsWith("sluice: ")
                .contains("nothing is overwritten")
                .hasLineCount(1);
        assertThat(Files.readString(made.resolve("users"))).isEqualTo(before);
    }

    @ParameterizedTest
    @CsvSource({"--admin, 'a:b'", "--admin, 'a\"b'", "--hosts, 'a b'", "--hosts, 300.300.300.300"})
    void namesThatFilesWouldReadOtherwiseAreRefused(String option, String value) {
        Path nothing = folder.resolve("nothing");
        CommandRun refused = CommandRun.of("security", "init", "--out", nothing.toString(), option, value);
        assertThat(refused.code()).isEqualTo(1);
        assertThat(refused.err()).startsWith("sluice: " + option).hasLineCount(1);
        assertThat(nothing).doesNotExist();
    }

    @Test
    void aServerForOthersListensEverywhereAndTellsTheFirstHost() throws Exception {
        Path wide = folder.resolve("wide");
        CommandRun init =
                CommandRun.of("security", "init", "--out", wide.toString(), "--hosts", "sluice.example,10.0.0.7");
        assertThat(init.code()).as(init.err()).isZero();
        var settings = ConfigFile.read(wide.resolve("sluice.yaml"));
        assertThat(settings.kafka().host()).isEqualTo("0.0.0.0");
        assertThat(settings.kafka().advertisedHost()).isEqualTo("sluice.example");
        assertThat(settings.pulsar().host()).isEqualTo("0.0.0.0");
        assertThat(settings.http().host()).isEqualTo("0.0.0.0");
        assertThat(settings.http().tls()).isTrue();
        // Of a node, but for the sign of a comment.
        String ofNode = Files.readAllLines(wide.resolve("sluice.yaml")).getLast();
        var tls = ConfigFile.parse(ofNode.substring("# ".length()), "the last line")
                .internal()
                .tls();
        assertThat(new NodeTls(
                        new TlsFiles(Path.of(tls.certificate()), tls.key(), null, Path.of(tls.authorities())),
                        RevokedCertificates.NONE))
                .isNotNull();
        assertThat(wide.resolve("client.conf")).content().contains("brokerServiceUrl=pulsar+ssl://sluice.example:6650");
    }

    private static CommandRun client(Path of, String name, String... more) {
        List<String> words = new ArrayList<>(List.of("security", "client", name, "--folder", of.toString()));
        words.addAll(List.of(more));
        return CommandRun.of(words.toArray(String[]::new));
    }

    @Test
    void makesCertificatesOfClients() throws Exception {
        Path wide = folder.resolve("with clients");
        assertThat(CommandRun.of("security", "init", "--out", wide.toString()).code())
                .isZero();
        CommandRun alice = client(wide, "alice", "--expires", "30d");
        assertThat(alice.code()).as(alice.err()).isZero();
        assertThat(Files.getPosixFilePermissions(wide.resolve("alice-key.pem")))
                .isEqualTo(PosixFilePermissions.fromString("rw-------"));
        var issued = Issued.read(wide.resolve("alice.pem"), wide.resolve("alice-key.pem"));
        issued.certificate()
                .verify(Issued.read(wide.resolve("ca.pem"), wide.resolve("ca-key.pem"))
                        .certificate()
                        .getPublicKey());
        assertThat(issued.certificate().getNotAfter().toInstant())
                .isBetween(
                        Instant.now().plus(Duration.ofDays(29)), Instant.now().plus(Duration.ofDays(30)));
        var settings = ConfigFile.read(wide.resolve("sluice.yaml"));
        assertThat(CertificateNames.parse(settings.security().certificateNames())
                        .nameOf(issued.certificate().getSubjectX500Principal().getName()))
                .isEqualTo("alice");
        assertThat(settings.security().tls().clientAuthorities())
                .isEqualTo(wide.resolve("ca.pem").toString());
        for (CommandRun refused : List.of(
                client(wide, "alice"),
                client(wide, "server"),
                client(wide, "../mallory"),
                client(wide, "bob", "--expires", "never"),
                client(folder.resolve("none"), "bob"))) {
            assertThat(refused.code()).isEqualTo(1);
            assertThat(refused.err()).startsWith("sluice: ").hasLineCount(1);
        }
    }

    @Test
    void revokesCertificatesOfClients() throws Exception {
        Path wide = folder.resolve("with revoked clients");
        assertThat(CommandRun.of("security", "init", "--out", wide.toString()).code())
                .isZero();
        Path list = wide.resolve("revoked.pem");
        assertThat(ConfigFile.read(wide.resolve("sluice.yaml")).security().tls().revokedCertificates())
                .isEqualTo(list.toString());
        assertThat(revoked(list)).isEmpty();
        Set<BigInteger> serials = new HashSet<>();
        for (String name : List.of("alice", "bob", "alice")) { // the third time changes nothing
            client(wide, name);
            Path certificate = wide.resolve(name + ".pem");
            CommandRun revoke =
                    CommandRun.of("security", "revoke", certificate.toString(), "--folder", wide.toString());
            assertThat(revoke.code()).as(revoke.err()).isZero();
            assertThat(revoke.out()).contains(certificate.toString()).hasLineCount(1);
            serials.add(Issued.certificate(certificate).getSerialNumber());
            assertThat(revoked(list)).isEqualTo(serials);
        }
        for (Path none : List.of(made.resolve("server.pem"), wide.resolve("users"), wide.resolve("nothing.pem"))) {
            CommandRun refused = CommandRun.of("security", "revoke", none.toString(), "--folder", wide.toString());
            assertThat(refused.code()).isEqualTo(1);
            assertThat(refused.err())
                    .startsWith("sluice: ")
                    .contains(none.toString())
                    .hasLineCount(1);
        }
        assertThat(revoked(list)).isEqualTo(serials);
    }

    /** Which nodes and bookies take for what it is. */
    @Test
    void revokesCertificatesOfNodes() throws Exception {
        Path wide = folder.resolve("with revoked nodes");
        assertThat(CommandRun.of("security", "init", "--out", wide.toString()).code())
                .isZero();
        Path list = wide.resolve("node-revoked.pem");
        Path authorities = wide.resolve("node-ca.pem");
        var read = new RevokedCertificates(list, authorities);
        assertThat(read.reload()).isFalse();
        for (String name : List.of("one", "two")) {
            CommandRun node = CommandRun.of("security", "node", name, "--folder", wide.toString());
            assertThat(node.code()).as(node.err()).isZero();
            Issued issued = Issued.read(wide.resolve(name + ".pem"), wide.resolve(name + "-key.pem"));
            issued.certificate().verify(Issued.certificate(authorities).getPublicKey());
            assertThat(issued.certificate().getExtendedKeyUsage()).hasSize(2);
        }
        Path lost = wide.resolve("two.pem");
        CommandRun revoke = CommandRun.of("security", "revoke", lost.toString(), "--folder", wide.toString());
        assertThat(revoke.code()).as(revoke.err()).isZero();
        assertThat(revoke.out()).contains(list.toString()).hasLineCount(1);
        assertThat(read.reload()).isTrue();
        assertThat(revoked(list)).containsExactly(Issued.certificate(lost).getSerialNumber());
        assertThat(revoked(wide.resolve("revoked.pem"))).isEmpty();
    }

    private static Set<BigInteger> revoked(Path list) throws Exception {
        try (InputStream in = Files.newInputStream(list)) {
            X509CRL read = (X509CRL) CertificateFactory.getInstance("X.509").generateCRL(in);
            var entries = read.getRevokedCertificates();
            return entries == null
                    ? Set.of()
                    : entries.stream().map(X509CRLEntry::getSerialNumber).collect(Collectors.toSet());
        }
    }

    @Test
    void renewingWantsTheAuthority() {
        CommandRun nothing = CommandRun.of(
                "security", "renew", "--folder", folder.resolve("none").toString());
        assertThat(nothing.code()).isEqualTo(1);
        assertThat(nothing.err())
                .startsWith("sluice: cannot renew: ")
                .contains("does not exist")
                .hasLineCount(1);
    }
}
