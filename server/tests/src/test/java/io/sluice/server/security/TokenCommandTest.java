package io.sluice.server.security;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.sluice.broker.identity.Identified;
import io.sluice.broker.identity.TokenRules;
import io.sluice.broker.identity.Tokens;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code sluice token}: its tokens are taken by the server's own check. */
class TokenCommandTest {
    private static final String SECRET = "0123456789012345678901234567890123456789";

    @TempDir
    private Path folder;

    private Path secret;

    @BeforeEach
    void aSecret() throws Exception {
        secret = Files.writeString(folder.resolve("secret"), SECRET);
    }

    private CommandRun create(String... more) {
        String[] words = new String[more.length + 6];
        String[] first = {"token", "create", "--subject", "alice", "--secret-file", secret.toString()};
        System.arraycopy(first, 0, words, 0, first.length);
        System.arraycopy(more, 0, words, first.length, more.length);
        return CommandRun.of(words);
    }

    private static Tokens taking(String secretFile, String publicKeyFile) throws Exception {
        var tokens = new Tokens(new TokenRules(secretFile, publicKeyFile, "", "", "", "sub", "groups"));
        tokens.load();
        return tokens;
    }

    @ParameterizedTest
    @CsvSource({"30d, PT720H", "12h, PT12H", "15m, PT15M", "45s, PT45S"})
    void aTokenHasNameGroupsAndEnd(String expires, Duration lifetime) throws Exception {
        CommandRun made = create("--groups", "ops,staff", "--expires", expires);
        assertThat(made.code()).as(made.err()).isZero();
        assertThat(made.out()).hasLineCount(1);
        Identified who = taking(secret.toString(), "").verify(made.out().strip());
        assertThat(who.name()).isEqualTo("alice");
        assertThat(who.groups()).containsExactlyInAnyOrder("ops", "staff");
        assertThat(Instant.ofEpochMilli(who.expiresAt()))
                .isCloseTo(Instant.now().plus(lifetime), within(Duration.ofSeconds(40)));
    }

    @Test
    void aTokenEndsUnlessItIsToEndNever() throws Exception {
        Tokens tokens = taking(secret.toString(), "");
        assertThat(tokens.verify(create().out().strip()).expiresAt()).isLessThan(Identified.NEVER);
        assertThat(tokens.verify(create("--expires", "never").out().strip()).expiresAt())
                .isEqualTo(Identified.NEVER);
    }

    /** So that they are taken beside those of a provider. */
    @Test
    void aTokenMayNameAnIssuerAndAnAudience() throws Exception {
        var tokens = new Tokens(new TokenRules(secret.toString(), "", "", "https://id", "sluice", "sub", "groups"));
        tokens.load();
        String token = create("--issuer", "https://id", "--audience", "sluice").out();
        assertThat(tokens.verify(token.strip()).name()).isEqualTo("alice");
        for (String[] less : new String[][] {{}, {"--issuer", "https://id"}, {"--audience", "sluice"}}) {
            String refused = create(less).out().strip();
            assertThatThrownBy(() -> tokens.verify(refused))
                    .hasMessageContaining("of another issuer or for another audience");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"RSA", "EC", "Ed25519"})
    void aPrivateKeySignsForItsPublicHalf(String algorithm) throws Exception {
        KeyPair keys = KeyPairGenerator.getInstance(algorithm).generateKeyPair();
        Path mine = pem("PRIVATE KEY", keys.getPrivate().getEncoded());
        Path open = pem("PUBLIC KEY", keys.getPublic().getEncoded());
        CommandRun made = CommandRun.of("token", "create", "--subject", "alice", "--private-key", mine.toString());
        assertThat(made.code()).as(made.err()).isZero();
        assertThat(taking("", open.toString()).verify(made.out().strip()).name())
                .isEqualTo("alice");
        CommandRun shown = CommandRun.of("token", "show", made.out().strip(), "--public-key", open.toString());
        assertThat(shown.code()).isZero();
        assertThat(shown.out()).contains("Signature  right");
    }

    private Path pem(String kind, byte[] der) throws Exception {
        String text = Base64.getMimeEncoder().encodeToString(der);
        return Files.writeString(
                folder.resolve(kind), "-----BEGIN " + kind + "-----\n" + text + "\n-----END " + kind + "-----\n");
    }

    @Test
    void whatIsWrongIsOneLine() throws Exception {
        isRefused(create("--expires", "tomorrow"), "--expires is 'tomorrow'");
        isRefused(create("--expires", "0d"), "--expires is 0d");
        isRefused(create("--expires", "36501d"), "--expires is 36501d");
        isRefused(CommandRun.of("token", "create", "--subject", "alice"), "--secret-file");
        isRefused(CommandRun.of("token", "create", "--subject", " ", "--secret-file", secret.toString()), "--subject");
        Files.writeString(secret, "short");
        isRefused(create(), "less than 32 bytes");
        KeyPairGenerator weak = KeyPairGenerator.getInstance("RSA");
        weak.initialize(1_024);
        Path key = pem("PRIVATE KEY", weak.generateKeyPair().getPrivate().getEncoded());
        isRefused(
                CommandRun.of("token", "create", "--subject", "alice", "--private-key", key.toString()),
                "the key signs no token");
        isRefused(CommandRun.of("token", "show", "alice"), "this is no token");
        isRefused(CommandRun.of("token", "show", "a.b.c"), "this is no token");
    }

    private static void isRefused(CommandRun run, String why) {
        assertThat(run.code()).as(run.err()).isEqualTo(1);
        assertThat(run.err()).startsWith("sluice: ").contains(why).hasLineCount(1);
        assertThat(run.out()).isEmpty();
    }

    @Test
    void showsClaimsAndChecksOnlyWithAKey() throws Exception {
        String token = create("--groups", "ops").out().strip();
        CommandRun shown = CommandRun.of("token", "show", token);
        assertThat(shown.code()).isZero();
        assertThat(shown.out())
                .contains("Algorithm  HS", "\"sub\":\"alice\"", "\"groups\":[\"ops\"]", "Signature  not checked")
                .doesNotContain("which is over");

        Path other = Files.writeString(folder.resolve("other"), SECRET.replace('0', '9'));
        CommandRun refused = CommandRun.of("token", "show", token, "--secret-file", other.toString());
        assertThat(refused.code()).isEqualTo(1);
        assertThat(refused.out()).contains("\"sub\":\"alice\"", "Refused    the token is not valid");
    }

    @Test
    void readsStandardInputAndSaysThatATokenHasEnded() throws Exception {
        String past = Base64.getUrlEncoder().withoutPadding().encodeToString("{\"exp\":1700000000}".getBytes(UTF_8));
        String token = create("--expires", "never").out().strip();
        String[] parts = token.split("\\.");
        InputStream before = System.in;
        try {
            System.setIn(new ByteArrayInputStream((token + "\n").getBytes(UTF_8)));
            assertThat(CommandRun.of("token", "show").out()).contains("Ends       never");
            System.setIn(new ByteArrayInputStream((parts[0] + '.' + past + '.' + parts[2]).getBytes(UTF_8)));
            assertThat(CommandRun.of("token", "show").out()).contains("Ends       2023-11-14T22:13:20Z, which is over");
        } finally {
            System.setIn(before);
        }
    }
}
