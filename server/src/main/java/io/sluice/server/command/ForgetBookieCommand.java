package io.sluice.server.command;

import io.sluice.server.cluster.Forget;
import io.sluice.server.version.Version;
import io.sluice.server.wiring.StartException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code sluice cluster forget-bookie}: removes what a bookie that does not come back has left in the metadata. */
@Command(
        name = "forget-bookie",
        description =
                "Forget a bookie that is lost for good. Refused while it is registered, and while a piece of the log has"
                        + " a copy on it: autorecovery copies these to others first.",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class)
public final class ForgetBookieCommand implements Callable<Integer> {
    @Spec
    @SuppressWarnings("NullAway.Init") // set by picocli before call()
    private CommandSpec spec;

    @Mixin
    private GivenSettings given = new GivenSettings();

    @Parameters(paramLabel = "ID", description = "Its id, as sluice cluster status shows it.")
    private String id = "";

    @Override
    public Integer call() throws StartException {
        return ClusterStores.use(given.read(), false, stores -> {
            Forget.bookie(stores.metadata(), id);
            spec.commandLine().getOut().println("Forgot bookie " + id);
            spec.commandLine().getOut().flush();
            return 0;
        });
    }
}
