package io.sluice.server.command;

import io.sluice.server.cluster.InitCluster;
import io.sluice.server.config.ServerConfig;
import io.sluice.server.version.Version;
import io.sluice.server.wiring.StartException;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code sluice cluster init}: the first metadata of a cluster, before its bookies and nodes. */
@Command(
        name = "init",
        description =
                "Make what bookies and servers of a new cluster want to find: BookKeeper's root in the metadata, the store's"
                        + " containers, the mark of its bucket. What is there already stays as it is.",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class)
public final class ClusterInitCommand implements Callable<Integer> {
    @Spec
    @SuppressWarnings("NullAway.Init") // set by picocli before call()
    private CommandSpec spec;

    @Mixin
    private GivenSettings given = new GivenSettings();

    @Option(
            names = "--containers",
            paramLabel = "N",
            description = "Containers of a new store (default: store.containers of the settings).")
    private @Nullable Integer containers;

    @Override
    public Integer call() throws StartException {
        ServerConfig settings = given.read();
        int wanted = containers == null ? settings.store().containersOfNewStore() : containers;
        if (wanted < 1 || wanted > ServerConfig.Store.MOST_CONTAINERS) {
            throw new StartException(
                    "--containers is " + wanted + ", allowed is 1 to " + ServerConfig.Store.MOST_CONTAINERS);
        }
        return ClusterStores.use(settings, true, stores -> {
            print(new InitCluster(stores.metadata(), stores.objects()).run(wanted), wanted);
            return 0;
        });
    }

    private void print(InitCluster.Result result, int wanted) {
        int there = result.layout().containers().size();
        String store = "the store " + result.layout().clusterId() + " with " + there
                + (there == 1 ? " container" : " containers");
        String line;
        if (result.made()) {
            line = "Made " + store;
        } else if (containers == null || there == wanted) {
            line = "There already: " + store;
        } else {
            line = "There already: " + store + ", which sluice containers changes while it runs";
        }
        spec.commandLine().getOut().println(line);
        spec.commandLine().getOut().flush();
    }
}
