package io.sluice.server.command;

import io.sluice.server.verify.Report;
import io.sluice.server.verify.VerifyData;
import io.sluice.server.version.Version;
import io.sluice.server.wiring.Closing;
import io.sluice.server.wiring.DataFolder;
import io.sluice.server.wiring.EmbeddedFoundation;
import io.sluice.server.wiring.ServerLog;
import io.sluice.server.wiring.StartException;
import io.sluice.server.wiring.TierStore;
import io.sluice.store.cluster.PulsarMetadata;
import io.sluice.tiering.objectstore.ObjectStore;
import io.sluice.tiering.objectstore.ObjectStoreException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** {@code sluice verify-data}: looks a folder through whose server is stopped. */
@Command(
        name = "verify-data",
        description =
                "Check metadata, log and tier of a stopped server; changes nothing. Exit code 1 if something is wrong.",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class)
public final class VerifyDataCommand implements Callable<Integer> {
    private static final Duration METADATA_TIMEOUT = Duration.ofSeconds(30);

    @Spec
    @SuppressWarnings("NullAway.Init") // set by picocli before call()
    private CommandSpec spec;

    @Mixin
    private DataOption data = new DataOption();

    @Mixin
    private GivenSettings given = new GivenSettings();

    @Option(names = "--quick", description = "Leave out the checksums of the tier's blocks.")
    private boolean quick;

    @Override
    public Integer call() throws StartException {
        Path metadata = data.folder().resolve("metadata");
        if (!Files.isDirectory(metadata)) {
            throw new StartException("no server has used the folder "
                    + data.folder().toAbsolutePath().normalize()
                    + ": give --data the folder that standalone was given");
        }
        try (Closing closing = new Closing()) {
            Path root = closing.add(DataFolder.open(data.folder(), 0)).root();
            EmbeddedFoundation.refuseImported(root);
            Path scratch = closing.add(TemporaryFolder.create("sluice-verify")).path();
            ServerLog.into(scratch.resolve("logs"));
            Report report = verify(closing, root, scratch);
            spec.commandLine().getOut().print("Folder     " + root + "\n" + report);
            spec.commandLine().getOut().flush();
            return report.clean() ? 0 : 1;
        } catch (IOException | ObjectStoreException e) {
            throw new StartException("cannot check " + data.folder() + ": " + e.getMessage());
        }
    }

    /** Opening the metadata writes to it, so a copy is opened. */
    private Report verify(Closing closing, Path root, Path scratch)
            throws IOException, ObjectStoreException, StartException {
        copy(root.resolve("metadata"), scratch.resolve("metadata"));
        PulsarMetadata metadata =
                closing.add(PulsarMetadata.open("rocksdb:" + scratch.resolve("metadata"), METADATA_TIMEOUT));
        ObjectStore objects = closing.add(TierStore.toRead(given.read().tier(), root));
        return new VerifyData(metadata, objects, !quick).run(root.resolve("bookie"));
    }

    private static void copy(Path from, Path to) throws IOException {
        Files.createDirectories(to);
        try (Stream<Path> files = Files.list(from)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                Files.copy(file, to.resolve(file.getFileName()));
            }
        }
    }
}
