package io.sluice.server.security;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.sluice.broker.identity.LoginException;
import io.sluice.broker.identity.NewToken;
import io.sluice.broker.identity.TokenKeys;
import io.sluice.broker.identity.TokenRules;
import io.sluice.broker.identity.Tokens;
import io.sluice.broker.identity.User;
import io.sluice.server.version.Version;
import io.sluice.server.wiring.StartException;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.security.Key;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code sluice token}: makes tokens (JWT) and shows what is in them. Asks no server. */
@Command(
        name = "token",
        description = "Make a token (JWT) for clients, or show what is in one: see docs/security.md. Asks no server.",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        synopsisSubcommandLabel = "COMMAND",
        subcommands = {TokenCommand.Create.class, TokenCommand.Show.class})
public final class TokenCommand implements Runnable {
    @Spec
    @SuppressWarnings("NullAway.Init") // set by picocli before a command runs
    private CommandSpec spec;

    @Override
    public void run() {
        spec.commandLine().usage(spec.commandLine().getOut());
    }

    /** {@code sluice token create}. */
    @Command(name = "create", description = "Sign a token, and print it.", mixinStandardHelpOptions = true)
    static final class Create implements Callable<Integer> {
        @Spec
        @SuppressWarnings("NullAway.Init") // set by picocli before call()
        private CommandSpec spec;

        @Option(
                names = "--subject",
                paramLabel = "NAME",
                required = true,
                description = "User that the token is for: its claim sub.")
        @SuppressWarnings("NullAway.Init") // required
        private String subject;

        @Option(
                names = "--groups",
                paramLabel = "NAME",
                split = ",",
                description = "Groups of the user, with commas between them: its claim groups.")
        private Set<String> groups = Set.of();

        @Option(
                names = "--expires",
                paramLabel = "TIME",
                description = "How long it is valid from now on, for example 12h or 365d, or never (default: 30d).")
        private String expires = "30d";

        @Option(
                names = "--issuer",
                paramLabel = "NAME",
                description = "Its claim iss, for a server with security.tokens.issuer.")
        private String issuer = "";

        @Option(
                names = "--audience",
                paramLabel = "NAME",
                description = "Its claim aud, for a server with security.tokens.audience.")
        private String audience = "";

        @ArgGroup(multiplicity = "1")
        @SuppressWarnings("NullAway.Init") // required
        private SigningKey key;

        /** One of both. */
        static final class SigningKey {
            @Option(
                    names = "--secret-file",
                    paramLabel = "FILE",
                    description = "Secret that signs it, the server's security.tokens.secretFile.")
            private @Nullable Path secret;

            @Option(
                    names = "--private-key",
                    paramLabel = "FILE",
                    description = "Private key that signs it, PEM (PKCS#8), whose public half is the server's"
                            + " security.tokens.publicKeyFile.")
            private @Nullable Path privateKey;

            Key read() throws IOException {
                return secret != null
                        ? TokenKeys.secret(secret)
                        : TokenKeys.privateKey(Objects.requireNonNull(privateKey));
            }
        }

        @Override
        public Integer call() throws StartException {
            if (subject.isBlank() || subject.length() > User.LONGEST_NAME) {
                throw new StartException("--subject has " + subject.length() + " characters, allowed are 1 to "
                        + User.LONGEST_NAME + ", not all of them blank");
            }
            Duration lifetime = Lifetime.parse("--expires", expires);
            Instant end = lifetime == null ? null : Instant.now().plus(lifetime);
            try {
                var token = new NewToken(subject, groups, end, issuer, audience);
                spec.commandLine().getOut().println(Tokens.sign(key.read(), token));
                spec.commandLine().getOut().flush();
                return 0;
            } catch (IOException | IllegalArgumentException e) {
                throw new StartException(String.valueOf(e.getMessage()));
            }
        }
    }

    /** {@code sluice token show}. */
    @Command(
            name = "show",
            description =
                    "Show the claims and the end of a token. Whether its signature is right is said only with a key.",
            mixinStandardHelpOptions = true)
    static final class Show implements Callable<Integer> {
        private static final int MOST_BYTES = 64 << 10;

        @Spec
        @SuppressWarnings("NullAway.Init") // set by picocli before call()
        private CommandSpec spec;

        @Parameters(
                paramLabel = "TOKEN",
                arity = "0..1",
                description = "The token; it is read from standard input if it is left out.")
        private @Nullable String token;

        @ArgGroup
        private @Nullable CheckingKey key;

        /** One of both. */
        static final class CheckingKey {
            @Option(
                    names = "--secret-file",
                    paramLabel = "FILE",
                    description = "Secret to check it with, the server's security.tokens.secretFile.")
            private @Nullable Path secret;

            @Option(
                    names = "--public-key",
                    paramLabel = "FILE",
                    description = "Public key to check it with, the server's security.tokens.publicKeyFile.")
            private @Nullable Path publicKey;

            Tokens read() throws IOException {
                var tokens = new Tokens(new TokenRules(
                        secret == null ? "" : secret.toString(),
                        publicKey == null ? "" : publicKey.toString(),
                        "",
                        "",
                        "",
                        "sub",
                        "groups"));
                tokens.load();
                return tokens;
            }
        }

        @Override
        public Integer call() throws StartException {
            try {
                String given = token != null ? token : new String(System.in.readNBytes(MOST_BYTES), UTF_8);
                return show(given.strip());
            } catch (IOException e) {
                throw new StartException(String.valueOf(e.getMessage()));
            }
        }

        /** Exit code 1 if there is a key and the server would refuse the token. */
        private int show(String given) throws IOException, StartException {
            PrintWriter out = spec.commandLine().getOut();
            TokenParts.parse(given).print(out, Instant.now());
            try {
                if (key != null) {
                    key.read().verify(given);
                }
                out.printf(
                        "Signature  %s%n",
                        key == null ? "not checked, which --secret-file or --public-key does" : "right");
                return 0;
            } catch (LoginException e) {
                out.printf("Refused    %s%n", e.getMessage());
                return 1;
            } finally {
                out.flush();
            }
        }
    }
}
