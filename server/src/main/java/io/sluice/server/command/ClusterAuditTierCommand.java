package io.sluice.server.command;

import io.sluice.server.cluster.ClusterStatus;
import io.sluice.server.cluster.ReadStatus;
import io.sluice.server.config.ServerConfig;
import io.sluice.server.version.Version;
import io.sluice.server.wiring.Closing;
import io.sluice.server.wiring.SharedLogs;
import io.sluice.server.wiring.StartException;
import io.sluice.store.cluster.LeaseClock;
import io.sluice.store.cluster.StoreLayout;
import io.sluice.store.wal.WalException;
import io.sluice.tiering.objectstore.ObjectStoreException;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code sluice cluster audit-tier}: {@link AuditTierCommand} for the bucket of a cluster whose nodes are stopped. */
@Command(
        name = "audit-tier",
        description = "List objects in the bucket of a cluster that nothing references, and ranges whose object is"
                + " missing. The bookies run, the nodes are stopped. Exits with 2 if something is missing.",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class)
public final class ClusterAuditTierCommand implements Callable<Integer> {
    /** In the logs' records, as the one who wrote last. */
    private static final String WRITER = "audit-tier";

    @Spec
    @SuppressWarnings("NullAway.Init") // set by picocli before call()
    private CommandSpec spec;

    @Mixin
    private GivenSettings given = new GivenSettings();

    @Option(names = "--remove", description = "Delete the objects that nothing references.")
    private boolean remove;

    @Override
    public Integer call() throws StartException {
        ServerConfig settings = given.read();
        return ClusterStores.use(settings, remove, stores -> audit(settings, stores));
    }

    private int audit(ServerConfig settings, ClusterStores stores)
            throws IOException, InterruptedException, ObjectStoreException, StartException {
        StoreLayout layout = StoreLayout.read(stores.metadata());
        if (layout == null) {
            throw new StartException("there is no store in this metadata yet");
        }
        Set<UUID> stopped = incarnations(settings, stores);
        PrintWriter out = spec.commandLine().getOut();
        try (Closing closing = new Closing()) {
            TierReport report = TierReport.of(
                    layout,
                    SharedLogs.open(settings.bookkeeper(), stores.metadata(), layout, WRITER, closing),
                    stores.objects());
            report.print(out);
            if (remove) {
                if (!incarnations(settings, stores).equals(stopped)) { // what it has stored may look like an orphan
                    throw new StartException("a node was started meanwhile: nothing is removed");
                }
                report.remove(out);
            }
            return report.exitCode();
        } catch (WalException e) {
            throw new StartException("the logs on the bookies cannot be read: " + e.getMessage());
        }
    }

    /**
     * Names the last start of each node that the cluster knows.
     *
     * @throws StartException one of them runs
     */
    private static Set<UUID> incarnations(ServerConfig settings, ClusterStores stores)
            throws IOException, InterruptedException, StartException {
        String bucket = settings.tier().s3().bucket();
        List<ClusterStatus.Node> nodes = new ReadStatus(stores.metadata(), stores.objects(), bucket, LeaseClock.SYSTEM)
                .read()
                .nodes();
        for (ClusterStatus.Node each : nodes) {
            if (each.runs()) {
                throw new StartException(each.id() + " runs: stop the nodes of the cluster first");
            }
        }
        return nodes.stream().map(ClusterStatus.Node::incarnation).collect(Collectors.toSet());
    }
}
