package io.sluice.server.command;

import io.sluice.server.cluster.ClusterStatus;
import io.sluice.server.cluster.Findings;
import io.sluice.server.cluster.ReadStatus;
import io.sluice.server.cluster.StatusText;
import io.sluice.server.config.ServerConfig;
import io.sluice.server.version.Version;
import io.sluice.server.wiring.StartException;
import io.sluice.store.cluster.LeaseClock;
import java.io.PrintWriter;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code sluice cluster status}: looks at the stores that the nodes of a cluster stand on. */
@Command(
        name = "status",
        description =
                "Show the containers, bookies and bucket of a cluster, and what is not well. Reads only, and asks no"
                        + " node. Exit code 1 if something is not well.",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class)
public final class ClusterStatusCommand implements Callable<Integer> {
    @Spec
    @SuppressWarnings("NullAway.Init") // set by picocli before call()
    private CommandSpec spec;

    @Mixin
    private GivenSettings given = new GivenSettings();

    @Option(names = "--json", description = "Print one object of JSON.")
    private boolean json;

    @Override
    public Integer call() throws StartException {
        ServerConfig settings = given.read();
        return ClusterStores.use(settings, false, stores -> {
            String bucket = settings.tier().s3().bucket();
            ClusterStatus status =
                    new ReadStatus(stores.metadata(), stores.objects(), bucket, LeaseClock.SYSTEM).read();
            List<String> findings = Findings.of(status, settings.bookkeeper());
            PrintWriter out = spec.commandLine().getOut();
            out.print(
                    json ? StatusText.json(status, findings).encodePrettily() + "\n" : StatusText.of(status, findings));
            out.flush();
            return findings.isEmpty() ? 0 : 1;
        });
    }
}
