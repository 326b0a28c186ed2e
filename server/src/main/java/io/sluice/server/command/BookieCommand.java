package io.sluice.server.command;

import io.sluice.server.config.BookieConfig;
import io.sluice.server.config.Log.Output;
import io.sluice.server.version.Version;
import io.sluice.server.wiring.BookieProgram;
import io.sluice.server.wiring.BookieProgram.Role;
import io.sluice.server.wiring.StartException;
import java.io.PrintWriter;
import java.util.concurrent.Callable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code sluice bookie}: a bookie of a cluster, until SIGTERM. */
@Command(
        name = "bookie",
        description =
                "Run a bookie of a cluster: BookKeeper's own, on a journal that is its ledger storage. Its settings are in docs/bookie.md.",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class)
public final class BookieCommand implements Callable<Integer> {
    @Spec
    @SuppressWarnings("NullAway.Init") // set by picocli before call()
    private CommandSpec spec;

    @Mixin
    private DataOption data = new DataOption();

    @Mixin
    private GivenSettings given = new GivenSettings();

    @Mixin
    @SuppressWarnings("UnusedVariable") // for help and checks
    private MemoryOption memory = new MemoryOption();

    @Option(
            names = "--role",
            paramLabel = "ROLE",
            description = "bookie; autorecovery, which copies what lost bookies had and stores nothing itself; or both"
                    + " (default: both).")
    private Role role = Role.BOTH;

    @Override
    public Integer call() throws StartException {
        BookieConfig settings = given.readBookie();
        if (role == Role.AUTORECOVERY && !settings.recovery().enabled()) {
            throw new StartException(
                    "recovery.enabled is false: take it out, or give another --role than autorecovery");
        }
        boolean json = settings.log().output() == Output.JSON;
        try {
            serve(settings, json);
            return 0;
        } catch (StartException e) {
            if (!json) {
                throw e;
            }
            log().error(e.getMessage());
            return 1;
        }
    }

    private void serve(BookieConfig settings, boolean json) throws StartException {
        BookieProgram bookie = BookieProgram.start(settings, data.folder(), role);
        Runtime.getRuntime().addShutdownHook(new Thread(bookie::close, "shutdown"));
        String line = (role == Role.AUTORECOVERY
                        ? "Autorecovery runs, of the bookies registered in "
                        : "Bookie " + settings.address().bookieId() + " serves, registered in ")
                + settings.metadata().url();
        if (json) {
            log().info(line);
        } else {
            PrintWriter out = spec.commandLine().getOut();
            out.println(line);
            out.flush();
        }
        bookie.awaitClosed();
    }

    /** Not a field: the first logger fixes where the log goes. */
    private static Logger log() {
        return LoggerFactory.getLogger(BookieCommand.class);
    }
}
