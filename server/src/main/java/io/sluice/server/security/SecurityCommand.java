package io.sluice.server.security;

import io.sluice.server.version.Version;
import io.sluice.server.wiring.StartException;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code sluice security}: files that a server and its clients need for TLS and logins. */
@Command(
        name = "security",
        description = "Make the files of a server with TLS, logins and access rules: see docs/security.md.",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        synopsisSubcommandLabel = "COMMAND",
        subcommands = {
            SecurityCommand.Init.class,
            SecurityCommand.Client.class,
            SecurityCommand.Node.class,
            SecurityCommand.Revoke.class,
            SecurityCommand.Renew.class
        })
public final class SecurityCommand implements Runnable {
    @Spec
    @SuppressWarnings("NullAway.Init") // set by picocli before a command runs
    private CommandSpec spec;

    @Override
    public void run() {
        spec.commandLine().usage(spec.commandLine().getOut());
    }

    /** {@code sluice security init}. */
    @Command(
            name = "init",
            description =
                    "Make all that a first server with TLS, logins and access rules needs: a certificate authority, the"
                            + " server's certificate, an authority and a certificate for the nodes of a cluster, a secret for tokens, an"
                            + " administrator, settings of the server and of clients. Files"
                            + " with secrets are readable by their owner alone. Overwrites nothing.",
            mixinStandardHelpOptions = true)
    static final class Init implements Callable<Integer> {
        @Spec
        @SuppressWarnings("NullAway.Init") // set by picocli before call()
        private CommandSpec spec;

        @Option(
                names = "--out",
                paramLabel = "FOLDER",
                required = true,
                description = "A folder that is made, or is empty.")
        @SuppressWarnings("NullAway.Init") // required
        private Path out;

        @Option(
                names = "--hosts",
                paramLabel = "HOST",
                split = ",",
                description =
                        "Names and addresses by which clients reach the server, with commas between them; they are told the"
                                + " first. The server listens on all interfaces unless all of them are of this machine alone"
                                + " (default: localhost,127.0.0.1).")
        private List<String> hosts = List.of("localhost", "127.0.0.1");

        @Option(
                names = "--admin",
                paramLabel = "NAME",
                description = "Name of the administrator, who may do everything (default: ${DEFAULT-VALUE}).")
        private String admin = "admin";

        @Override
        public Integer call() throws StartException {
            SecurityFolder folder = SecurityFolder.of(out, hosts, admin);
            try {
                folder.write();
            } catch (FileAlreadyExistsException e) {
                throw new StartException(e.getFile() + " is there already, and nothing is overwritten");
            } catch (IOException e) {
                throw new StartException("cannot write to " + out + ": " + e);
            }
            PrintWriter screen = spec.commandLine().getOut();
            screen.printf("Made %s. The server:%n", folder.path());
            screen.printf("  ./sluice standalone --config %s%n", folder.settings());
            screen.printf("Kafka clients use %s, Pulsar clients %s.%n", folder.kafkaClient(), folder.pulsarClient());
            screen.flush();
            return 0;
        }
    }

    /** Options of the commands that make a certificate. */
    abstract static class Named implements Callable<Integer> {
        private final NamedCertificate kind;

        @Spec
        @SuppressWarnings("NullAway.Init") // set by picocli before call()
        private CommandSpec spec;

        @Parameters(paramLabel = "NAME", description = "Name in the certificate: of a client the user that it is.")
        @SuppressWarnings("NullAway.Init") // required
        private String name;

        @Mixin
        private FolderOption folder = new FolderOption();

        @Option(
                names = "--expires",
                paramLabel = "TIME",
                description = "How long it is valid from now on, for example 12h or 30d (default: ${DEFAULT-VALUE}).")
        private String expires = "365d";

        Named(NamedCertificate kind) {
            this.kind = kind;
        }

        @Override
        public Integer call() throws StartException {
            Duration lifetime = Lifetime.parse("--expires", expires);
            if (lifetime == null) {
                throw new StartException("--expires: a certificate has an end");
            }
            try {
                kind.write(folder.path(), name, lifetime);
            } catch (FileAlreadyExistsException e) {
                throw new StartException(e.getFile() + " is there already, and nothing is overwritten");
            } catch (IOException e) {
                throw new StartException("cannot make a certificate: " + e.getMessage());
            }
            spec.commandLine().getOut().println("Made " + folder.path().resolve(name + ".pem") + " and its key.");
            return 0;
        }
    }

    /** {@code sluice security client}. */
    @Command(
            name = "client",
            description =
                    "Make a certificate of a client in a folder that `security init` made, by its authority: NAME.pem, with the key"
                            + " NAME-key.pem. Overwrites nothing.",
            mixinStandardHelpOptions = true)
    static final class Client extends Named {
        Client() {
            super(NamedCertificate.CLIENT);
        }
    }

    /** {@code sluice security node}. */
    @Command(
            name = "node",
            description =
                    "Make a certificate of one node or bookie in a folder that `security init` made, by the nodes' authority: NAME.pem, with the"
                            + " key NAME-key.pem, in place of node.pem, which is of all nodes. It alone can be revoked. Overwrites nothing.",
            mixinStandardHelpOptions = true)
    static final class Node extends Named {
        Node() {
            super(NamedCertificate.NODE);
        }
    }

    /** {@code sluice security revoke}. */
    @Command(
            name = "revoke",
            description =
                    "Revoke a certificate: add it to its authority's list (CRL) in a folder that `security init` made, revoked.pem for a client's,"
                            + " node-revoked.pem for a node's. A server with that list as security.tls.revokedCertificates refuses the client within"
                            + " a second, and ends its connections; nodes and bookies with it in internal.tls and bookkeeper.tls refuse the node.",
            mixinStandardHelpOptions = true)
    static final class Revoke implements Callable<Integer> {
        @Spec
        @SuppressWarnings("NullAway.Init") // set by picocli before call()
        private CommandSpec spec;

        @Parameters(
                paramLabel = "CERTIFICATE",
                description = "File of the certificate, PEM, for example secure/alice.pem.")
        @SuppressWarnings("NullAway.Init") // required
        private Path certificate;

        @Mixin
        private FolderOption folder = new FolderOption();

        @Override
        public Integer call() throws StartException {
            try {
                Path list = NamedCertificate.revoke(folder.path(), certificate);
                spec.commandLine().getOut().println("Revoked " + certificate + ": it is in " + list + ".");
            } catch (IOException e) {
                throw new StartException("cannot revoke: " + e.getMessage());
            }
            return 0;
        }
    }

    /** {@code sluice security renew}. */
    @Command(
            name = "renew",
            description =
                    "Replace the certificates in a folder that `security init` made, server.pem and node.pem with their keys, by new ones"
                            + " of the same authorities and for the same hosts, for a year. Servers that run take them within seconds.",
            mixinStandardHelpOptions = true)
    static final class Renew implements Callable<Integer> {
        @Spec
        @SuppressWarnings("NullAway.Init") // set by picocli before call()
        private CommandSpec spec;

        @Mixin
        private FolderOption folder = new FolderOption();

        @Override
        public Integer call() throws StartException {
            try {
                new RenewedCertificates(folder.path()).write();
            } catch (IOException e) {
                throw new StartException("cannot renew: " + e.getMessage());
            }
            spec.commandLine().getOut().println("Renewed server.pem and node.pem of " + folder.path() + ".");
            return 0;
        }
    }
}
