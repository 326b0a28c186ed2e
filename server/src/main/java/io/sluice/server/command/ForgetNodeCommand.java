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

/** {@code sluice cluster forget-node}: removes the record of a node that does not come back. */
@Command(
        name = "forget-node",
        description = "Forget a node that is lost for good, or was stopped for good. Refused while it runs.",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class)
public final class ForgetNodeCommand implements Callable<Integer> {
    @Spec
    @SuppressWarnings("NullAway.Init") // set by picocli before call()
    private CommandSpec spec;

    @Mixin
    private GivenSettings given = new GivenSettings();

    @Parameters(paramLabel = "NUMBER", description = "Its cluster.nodeId.")
    private int number;

    @Override
    public Integer call() throws StartException {
        return ClusterStores.use(given.read(), false, stores -> {
            spec.commandLine().getOut().println("Forgot " + Forget.node(stores.metadata(), number));
            spec.commandLine().getOut().flush();
            return 0;
        });
    }
}
