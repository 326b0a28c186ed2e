package io.sluice.server.command;

import io.sluice.bookie.assembly.DataFolderException;
import io.sluice.bookie.embedded.EmbeddedBookie;
import io.sluice.server.config.MemoryBudget;
import io.sluice.server.config.ServerConfig;
import io.sluice.server.version.Version;
import io.sluice.server.wiring.Closing;
import io.sluice.server.wiring.DataFolder;
import io.sluice.server.wiring.EmbeddedFoundation;
import io.sluice.server.wiring.ServerLog;
import io.sluice.server.wiring.StartException;
import io.sluice.server.wiring.TierStore;
import io.sluice.store.cluster.PulsarMetadata;
import io.sluice.store.cluster.StoreLayout;
import io.sluice.store.wal.WalException;
import io.sluice.store.wal.WalStore;
import io.sluice.store.wal.bookkeeper.BookKeeperWalStore;
import io.sluice.store.wal.bookkeeper.LedgerSettings;
import io.sluice.tiering.objectstore.ObjectStore;
import io.sluice.tiering.objectstore.ObjectStoreException;
import io.sluice.tiering.objectstore.StoreTraffic;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * {@code sluice audit-tier}: compares the manifests in a stopped server's log with its object store. It takes the logs over
 * as a start does, so that nothing can be written meanwhile, and changes nothing else unless told to remove.
 */
@Command(
        name = "audit-tier",
        description = "Lists objects of a stopped server's long-term storage that nothing references, and ranges whose"
                + " object is missing. Exits with 2 if something is missing.",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class)
public final class AuditTierCommand implements Callable<Integer> {
    @Spec
    @SuppressWarnings("NullAway.Init") // set by picocli before call()
    private CommandSpec spec;

    @Mixin
    private DataOption data = new DataOption();

    @Mixin
    private GivenSettings given = new GivenSettings();

    @Option(names = "--remove", description = "Delete the objects that nothing references.")
    private boolean remove;

    @Override
    public Integer call() throws StartException {
        ServerConfig settings = given.read();
        if (!Files.isDirectory(data.folder().resolve("metadata"))) {
            throw new StartException(
                    "there is no store in " + data.folder().toAbsolutePath().normalize() + ": give its --data");
        }
        try (DataFolder folder = DataFolder.open(data.folder(), 0)) {
            EmbeddedFoundation.refuseImported(folder.root());
            ServerLog.into(folder.root().resolve("logs"));
            return audit(settings, folder.root());
        } catch (DataFolderException | ObjectStoreException | WalException e) {
            throw new StartException(String.valueOf(e.getMessage()));
        } catch (IOException e) {
            throw new StartException("cannot open the store in " + data.folder() + ": " + e.getMessage());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new StartException("interrupted");
        }
    }

    private int audit(ServerConfig settings, Path root)
            throws IOException, ObjectStoreException, WalException, InterruptedException {
        Closing closing = new Closing();
        try {
            var metadata = closing.add(
                    PulsarMetadata.open("rocksdb:" + root.resolve("metadata"), EmbeddedFoundation.METADATA_TIMEOUT));
            StoreLayout layout = StoreLayout.read(metadata);
            if (layout == null) {
                throw new IOException(
                        "its metadata has no record of its layout, which the first start of a server writes");
            }
            var bookie = closing.add(EmbeddedBookie.start(
                    root.resolve("bookie"),
                    metadata,
                    EmbeddedFoundation.bookie(layout.containers().size(), settings.store(), MemoryBudget.ofProcess())));
            WalStore logs = closing.add(new BookKeeperWalStore(
                    bookie.clients(),
                    metadata,
                    LedgerSettings.STANDALONE,
                    layout.clusterId().toString(),
                    EmbeddedFoundation.NODE));
            ObjectStore objects = closing.add(TierStore.open(settings.tier(), root, new StoreTraffic()));
            TierReport report = TierReport.of(layout, logs, objects);
            report.print(spec.commandLine().getOut());
            if (remove) {
                report.remove(spec.commandLine().getOut());
            }
            return report.exitCode();
        } finally {
            closing.close();
        }
    }
}
