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
import io.sluice.store.state.ContainerState;
import io.sluice.store.state.SegmentState;
import io.sluice.store.state.StateReplay;
import io.sluice.store.wal.Wal;
import io.sluice.store.wal.WalException;
import io.sluice.store.wal.WalStore;
import io.sluice.store.wal.bookkeeper.BookKeeperWalStore;
import io.sluice.store.wal.bookkeeper.LedgerSettings;
import io.sluice.tiering.audit.TierAudit;
import io.sluice.tiering.audit.TierAudit.Missing;
import io.sluice.tiering.objectstore.ObjectStore;
import io.sluice.tiering.objectstore.ObjectStoreException;
import io.sluice.tiering.objectstore.OwnerMark;
import io.sluice.tiering.objectstore.StoreTraffic;
import io.sluice.tiering.objectstore.StoredObject;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
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
    private static final int DATA_MISSING = 2;

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
            OwnerMark.check(objects, layout.clusterId()); // or all of another's objects would be orphans
            TierAudit audit = new TierAudit(objects, layout.nextContainer());
            for (int container : layout.containers()) {
                expect(audit, container, logs);
            }
            return report(audit, audit.compare());
        } finally {
            closing.close();
        }
    }

    private static void expect(TierAudit audit, int container, WalStore logs) throws WalException {
        try (Wal log = logs.open(container)) {
            ContainerState state = StateReplay.of(log);
            for (long id : state.segments()) {
                SegmentState segment = Objects.requireNonNull(state.segment(id));
                segment.manifest().forEach(range -> audit.expect(container, range));
            }
        }
    }

    private int report(TierAudit audit, TierAudit.Report report) throws ObjectStoreException {
        PrintWriter out = spec.commandLine().getOut();
        for (StoredObject orphan : report.orphans()) {
            out.printf("orphan   %s  %,d bytes%n", orphan.name(), orphan.size());
        }
        for (Missing missing : report.missing()) {
            String what = missing.size() < 0 ? "is not there" : "has only " + missing.size() + " bytes";
            missing.ranges()
                    .forEach(range -> out.printf(
                            "missing  %s  %s: segment %d, positions %d to %d%n",
                            missing.object(), what, range.segment(), range.position(), range.end()));
        }
        for (StoredObject foreign : report.foreign()) {
            out.printf("foreign  %s  %,d bytes, left alone%n", foreign.name(), foreign.size());
        }
        out.printf(
                "%,d objects referenced, %,d bytes; %,d orphans, %,d bytes; %,d objects missing%n",
                report.objects(),
                report.bytes(),
                report.orphans().size(),
                report.orphanBytes(),
                report.missing().size());
        if (remove) {
            audit.remove(report);
            out.printf("removed %,d orphans%n", report.orphans().size());
        }
        out.flush();
        return report.missing().isEmpty() ? 0 : DATA_MISSING;
    }
}
