package io.sluice.image;

import com.google.cloud.tools.jib.api.Containerizer;
import com.google.cloud.tools.jib.api.Jib;
import com.google.cloud.tools.jib.api.JibContainerBuilder;
import com.google.cloud.tools.jib.api.Ports;
import com.google.cloud.tools.jib.api.TarImage;
import com.google.cloud.tools.jib.api.buildplan.AbsoluteUnixPath;
import com.google.cloud.tools.jib.api.buildplan.FileEntriesLayer;
import com.google.cloud.tools.jib.api.buildplan.FilePermissions;
import com.google.cloud.tools.jib.api.buildplan.ImageFormat;
import com.google.cloud.tools.jib.api.buildplan.Platform;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The image's layers, from what changes least to what changes most, and what a container starts: the one description of it. */
final class Layers {
    private static final String USER = "10001:10001";
    /** Each a folder of {@link Root}. */
    static final List<String> NAMES = List.of("system", "java", "libraries", "server", "aot");

    private Layers() {}

    /** Files for {@code docker load} and for tools that take the OCI layout; {@code ctr images import} takes both. */
    static List<Path> write(Plan plan, Root root) throws Exception {
        String suffix = plan.architecture() == Architecture.ofThisMachine()
                ? ""
                : "-" + plan.architecture().word();
        // Its keys are files' names and times, and all files have one time: to later builds it would give old layers.
        Root.remove(layers(plan));
        return List.of(
                write(plan, root, ImageFormat.Docker, "sluice" + suffix + ".tar"),
                write(plan, root, ImageFormat.OCI, "sluice" + suffix + "-oci.tar"));
    }

    private static Path write(Plan plan, Root root, ImageFormat format, String file) throws Exception {
        Path tar = plan.output().resolve(file);
        described(plan, root)
                .setFormat(format)
                .containerize(Containerizer.to(TarImage.at(tar).named("sluice:" + plan.version()))
                        .withAdditionalTag("latest")
                        .setOfflineMode(plan.base() == null)
                        .setBaseImageLayersCache(plan.output().resolve("base"))
                        .setApplicationLayersCache(layers(plan))
                        .setToolName("sluice")
                        .setToolVersion(plan.version()));
        return tar;
    }

    private static Path layers(Plan plan) {
        return plan.output().resolve("layers");
    }

    private static JibContainerBuilder described(Plan plan, Root root) throws Exception {
        String base = plan.base();
        JibContainerBuilder image = base == null ? Jib.fromScratch() : Jib.from(base);
        for (String name : NAMES) {
            FileEntriesLayer layer = layer(root, name);
            if (!layer.getEntries().isEmpty()) {
                image.addFileEntriesLayer(layer);
            }
        }
        return image.addFileEntriesLayer(folders(root))
                .setPlatforms(Set.of(new Platform(plan.architecture().word(), "linux")))
                .setCreationTime(plan.time())
                .setUser(USER)
                .setWorkingDirectory(AbsoluteUnixPath.get("/data"))
                .setVolumes(AbsoluteUnixPath.get("/data"))
                .setExposedPorts(Ports.parse(List.of("9092", "6650", "8080")))
                .setEnvironment(Map.of(
                        "PATH", "/opt/sluice/bin:/opt/sluice/jre/bin:/bin",
                        // RocksDB starts a shell to find that out.
                        "ROCKSDB_MUSL_LIBC", "false"))
                .addLabel("org.opencontainers.image.title", "Sluice")
                .addLabel("org.opencontainers.image.version", plan.version())
                .setEntrypoint("/opt/sluice/bin/sluice")
                .setProgramArguments("standalone");
    }

    private static FileEntriesLayer layer(Root root, String name) throws IOException {
        var layer = FileEntriesLayer.builder().setName(name);
        Path folder = root.folder().resolve(name);
        for (Path file : Root.filesIn(folder)) {
            add(layer, root, file, "/" + folder.relativize(file), Files.isExecutable(file) ? "755" : "644", null);
        }
        return layer.build();
    }

    /** Writable folders: the volume, and a folder that may be mounted over or be read-only. */
    private static FileEntriesLayer folders(Root root) throws IOException {
        var layer = FileEntriesLayer.builder().setName("folders");
        Path empty = Files.createDirectories(root.folder().resolve("empty"));
        add(layer, root, empty, "/data", "755", USER);
        add(layer, root, empty, "/tmp", "777", null);
        add(layer, root, empty, "/etc/sluice", "755", null);
        return layer.build();
    }

    private static void add(
            FileEntriesLayer.Builder layer, Root root, Path file, String place, String rights, @Nullable String owner) {
        layer.addEntry(
                file,
                AbsoluteUnixPath.get(place),
                FilePermissions.fromOctalString(rights),
                root.time(),
                owner == null ? "" : owner);
    }
}
