package io.sluice.server.security;

import io.sluice.server.version.Version;
import io.sluice.server.wiring.StartException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import org.apache.kafka.clients.admin.ScramMechanism;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ParentCommand;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.Spec;

/** {@code sluice users}: the users of a running server, over its Kafka listener. */
@Command(
        name = "users",
        description =
                "Show and change the users of a running server, over Kafka's requests for that: see docs/security.md.",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        synopsisSubcommandLabel = "COMMAND",
        subcommands = {
            UsersCommand.Show.class,
            UsersCommand.Add.class,
            UsersCommand.Password.class,
            UsersCommand.Remove.class,
            UsersCommand.Apply.class
        })
public final class UsersCommand implements Runnable {
    @Spec
    @SuppressWarnings("NullAway.Init") // set by picocli before a command runs
    private CommandSpec spec;

    @Option(
            names = "--bootstrap-server",
            paramLabel = "HOST:PORT",
            scope = ScopeType.INHERIT,
            description = "Where Kafka clients connect (default: bootstrap.servers of the file, else 127.0.0.1:9092).")
    private @Nullable String bootstrap;

    @Option(
            names = "--command-config",
            paramLabel = "FILE",
            scope = ScopeType.INHERIT,
            description = "Settings of a Kafka client that may change users, as kafka-configs.sh has it.")
    private @Nullable Path config;

    @Override
    public void run() {
        spec.commandLine().usage(spec.commandLine().getOut());
    }

    private interface Work {
        void run(KafkaUsers users, PrintWriter out) throws StartException;
    }

    private int on(Work work) throws StartException {
        // Must be said before the first logger is made: a failure is one line here, and Kafka's client has many.
        System.setProperty("logback.configurationFile", "logback-check.xml");
        try (KafkaUsers users = KafkaUsers.connect(bootstrap, config)) {
            work.run(users, spec.commandLine().getOut());
        }
        spec.commandLine().getOut().flush();
        return 0;
    }

    private static StartException unknown(String name) {
        return new StartException("there is no user " + name);
    }

    /** Option of the commands that want a password. */
    static final class PasswordOption {
        @Option(
                names = "--password-file",
                paramLabel = "FILE",
                description =
                        "File with the password; without it the password is asked for, or read from standard input.")
        private @Nullable Path file;

        String read(String name) throws StartException {
            return PasswordInput.read(file, name);
        }
    }

    /** {@code sluice users list}. */
    @Command(
            name = "list",
            description = "Show the users, and how they may log in by password.",
            mixinStandardHelpOptions = true)
    static final class Show implements Callable<Integer> {
        @ParentCommand
        @SuppressWarnings("NullAway.Init") // set by picocli before call()
        private UsersCommand parent;

        @Override
        public Integer call() throws StartException {
            return parent.on((users, out) -> users.all()
                    .forEach((name, mechanisms) -> out.printf(
                            "%-20s  %s%n",
                            name,
                            String.join(
                                    ", ",
                                    mechanisms.stream()
                                            .map(ScramMechanism::mechanismName)
                                            .toList()))));
        }
    }

    /** {@code sluice users add}. */
    @Command(name = "add", description = "Make a user.", mixinStandardHelpOptions = true)
    static final class Add implements Callable<Integer> {
        @ParentCommand
        @SuppressWarnings("NullAway.Init") // set by picocli before call()
        private UsersCommand parent;

        @Parameters(paramLabel = "NAME", description = "Name of the user.")
        @SuppressWarnings("NullAway.Init") // required
        private String name;

        @Mixin
        private PasswordOption password = new PasswordOption();

        @Override
        public Integer call() throws StartException {
            return parent.on((users, out) -> {
                if (users.all().containsKey(name)) {
                    throw new StartException(
                            "there is a user " + name + " already: sluice users password changes the password");
                }
                users.setPassword(name, password.read(name));
                out.printf("Made the user %s%n", name);
            });
        }
    }

    /** {@code sluice users password}. */
    @Command(name = "password", description = "Give a user another password.", mixinStandardHelpOptions = true)
    static final class Password implements Callable<Integer> {
        @ParentCommand
        @SuppressWarnings("NullAway.Init") // set by picocli before call()
        private UsersCommand parent;

        @Parameters(paramLabel = "NAME", description = "Name of the user.")
        @SuppressWarnings("NullAway.Init") // required
        private String name;

        @Mixin
        private PasswordOption password = new PasswordOption();

        @Override
        public Integer call() throws StartException {
            return parent.on((users, out) -> {
                if (!users.all().containsKey(name)) {
                    throw unknown(name);
                }
                users.setPassword(name, password.read(name));
                out.printf("Changed the password of %s%n", name);
            });
        }
    }

    /** {@code sluice users remove}. */
    @Command(
            name = "remove",
            description = "Remove a user. Connections on which it logged in by password end within a second.",
            mixinStandardHelpOptions = true)
    static final class Remove implements Callable<Integer> {
        @ParentCommand
        @SuppressWarnings("NullAway.Init") // set by picocli before call()
        private UsersCommand parent;

        @Parameters(paramLabel = "NAME", description = "Name of the user.")
        @SuppressWarnings("NullAway.Init") // required
        private String name;

        @Override
        public Integer call() throws StartException {
            return parent.on((users, out) -> {
                List<ScramMechanism> mechanisms = users.all().get(name);
                if (mechanisms == null) {
                    throw unknown(name);
                }
                users.remove(name, mechanisms);
                out.printf("Removed the user %s%n", name);
            });
        }
    }

    /** {@code sluice users apply}. */
    @Command(
            name = "apply",
            description =
                    "Make the users of a file, and give them exactly the access rules that it has. Others are left alone.",
            mixinStandardHelpOptions = true)
    static final class Apply implements Callable<Integer> {
        @ParentCommand
        @SuppressWarnings("NullAway.Init") // set by picocli before call()
        private UsersCommand parent;

        @Parameters(paramLabel = "FILE", description = "YAML with users and groups; see docs/security.md.")
        @SuppressWarnings("NullAway.Init") // required
        private Path file;

        @Override
        public Integer call() throws StartException {
            AccessFile wanted = AccessFile.read(file);
            return parent.on((users, out) -> new ApplyAccess(users, file, out).apply(wanted));
        }
    }
}
