package io.sluice.server.wiring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Whatever is wrong with the folder is one line that names it. */
class DataFolderTest {
    @TempDir
    private Path temporary;

    @Test
    void oneServerAtATime() throws Exception {
        Path root = temporary.resolve("new");
        try (DataFolder first = DataFolder.open(root, 0)) {
            assertThat(first.root()).isEqualTo(root);
            refused(root, 0, "in use by another server");
        }
        DataFolder.open(root, 0).close();
    }

    @Test
    void aFileIsNoFolder() throws Exception {
        refused(Files.createFile(temporary.resolve("file")), 0, "is a file");
    }

    @ParameterizedTest
    @ValueSource(strings = {"metadata", "bookie", "logs"})
    void norIsAFileInIt(String name) throws Exception {
        Files.createFile(temporary.resolve(name));
        refused(temporary, 0, name + " is a file");
    }

    @Test
    void aFullDiskIsSaidBeforeAnythingIsWritten() {
        refused(temporary, Long.MAX_VALUE, "MiB free");
        assertThat(temporary).isEmptyDirectory();
    }

    /** The kernel's own file system takes no folder from anybody, root included. */
    @Test
    void aPlaceThatTakesNoFolders() {
        refused(Path.of("/proc/sluice"), 0, "/proc/sluice");
    }

    /** Rights do not bind root, whom the system lets in: then there is nothing to refuse. */
    @Test
    void aFolderWithoutTheRightToWrite() throws Exception {
        Path metadata = Files.createDirectory(temporary.resolve("metadata"));
        Files.setPosixFilePermissions(metadata, PosixFilePermissions.fromString("r-xr-xr-x"));
        if (Files.isWritable(metadata)) {
            DataFolder.open(temporary, 0).close();
        } else {
            refused(temporary, 0, "cannot write to " + metadata);
        }
    }

    private static void refused(Path folder, long leastFree, String... says) {
        assertThatThrownBy(() -> DataFolder.open(folder, leastFree))
                .isInstanceOf(StartException.class)
                .message()
                .contains(says)
                .contains(folder.toString())
                .doesNotContain("\n", "Exception");
    }
}
