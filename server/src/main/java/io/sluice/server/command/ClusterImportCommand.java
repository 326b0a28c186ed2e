package io.sluice.server.command;

import io.sluice.server.cluster.ImportStandalone;
import io.sluice.server.config.ServerConfig;
import io.sluice.server.version.Version;
import io.sluice.server.wiring.Closing;
import io.sluice.server.wiring.DataFolder;
import io.sluice.server.wiring.EmbeddedFoundation;
import io.sluice.server.wiring.StartException;
import io.sluice.server.wiring.TierStore;
import io.sluice.store.cluster.PulsarMetadata;
import io.sluice.tiering.objectstore.ObjectStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code sluice cluster import}: the store of a standalone server becomes a cluster's. */
@Command(
        name = "import",
        description =
                "Bring the store of a standalone server, which is stopped, into the metadata and the bucket of a new"
                        + " cluster. Its journal stays in --data, for a bookie with the id standalone: see docs/cluster.md. May be"
                        + " repeated after an interruption.",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class)
public final class ClusterImportCommand implements Callable<Integer> {
    @Spec
    @SuppressWarnings("NullAway.Init") // set by picocli before call()
    private CommandSpec spec;

    @Mixin
    private DataOption data = new DataOption();

    @Mixin
    private GivenSettings given = new GivenSettings();

    @Option(
            names = "--from-config",
            paramLabel = "FILE",
            description =
                    "Settings that standalone was started with, if its long-term storage is not in tier/ of --data.")
    private @Nullable Path from;

    @Override
    public Integer call() throws StartException {
        ServerConfig settings = given.read();
        ServerConfig before = GivenSettings.readOnly(from);
        Path folder = data.folder().toAbsolutePath().normalize();
        if (!Files.isDirectory(folder.resolve("metadata"))) {
            throw new StartException(
                    "no server has used the folder " + folder + ": give --data the folder that standalone was given");
        }
        return ClusterStores.use(settings, true, stores -> {
            try (Closing closing = new Closing()) {
                Path root = closing.add(DataFolder.open(folder, 0)).root();
                PulsarMetadata.unpackRocksDb(root.resolve("native"));
                PulsarMetadata metadata = closing.add(PulsarMetadata.open(
                        "rocksdb:" + root.resolve("metadata"), EmbeddedFoundation.METADATA_TIMEOUT));
                ObjectStore objects = closing.add(TierStore.toRead(before.tier(), root));
                print(new ImportStandalone(
                                new ImportStandalone.Source(root, metadata, objects),
                                stores.metadata(),
                                settings.metadata().url(),
                                stores.objects())
                        .run());
                return 0;
            }
        });
    }

    private void print(ImportStandalone.Result result) {
        String store = "the store " + result.layout().clusterId();
        spec.commandLine()
                .getOut()
                .println(
                        result.records() == 0
                                ? "There already: " + store
                                : "Brought " + store + ": " + result.records() + " records, " + result.objects()
                                        + " objects. Start the bookie of this folder with the id standalone.");
        spec.commandLine().getOut().flush();
    }
}
