package io.sluice.tiering.objectstore.filesystem;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.netty.buffer.Unpooled;
import io.sluice.tiering.objectstore.ObjectStore;
import io.sluice.tiering.objectstore.ObjectStoreContract;
import io.sluice.tiering.objectstore.ObjectStoreException;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class DirectoryObjectStoreTest extends ObjectStoreContract {
    /** Not a multiple of what is freed at a time. */
    private static final int LARGE = (3 << 20) + 5;

    @TempDir
    Path folder;

    @Override
    protected ObjectStore open() throws ObjectStoreException {
        return DirectoryObjectStore.open(folder.resolve("new/tier"));
    }

    @Test
    void findsItsObjectsAgain() throws Exception {
        put("c1/a", new byte[] {7});
        try (ObjectStore again = open()) {
            assertThat(again.size("c1/a")).isEqualTo(1);
        }
    }

    @Test
    void leavesOnlyObjects() throws Exception {
        put("c1/a", new byte[] {7});
        put("c1/a", new byte[] {7});
        try (Stream<Path> files = Files.walk(folder)) {
            assertThat(files.filter(Files::isRegularFile)
                            .map(file -> file.getFileName().toString()))
                    .containsExactly("a");
        }
    }

    @Test
    void overwritesAndDeletesWhatACrashLeftBehind() throws Exception {
        Path part = folder.resolve("new/tier/c1/.a.part");
        Files.createDirectories(folder.resolve("new/tier/c1"));
        Files.write(part, new byte[100]);
        try (ObjectStore store = open()) {
            assertThat(store.list("", "", 10)).isEmpty();
            put("c1/a", new byte[] {7});
            assertThat(read("c1/a", 0, 1)).containsExactly(7);
            assertThat(part).doesNotExist();
            Files.write(part, new byte[100]);
            store.delete(List.of("c1/a"));
            assertThat(part).doesNotExist();
        }
    }

    @Test
    void writesNothingMoreOnceItIsClosed() throws Exception {
        Path root = folder.resolve("new/tier");
        List<Future<Boolean>> puts = new ArrayList<>();
        try (var tasks = Executors.newVirtualThreadPerTaskExecutor()) {
            try (ObjectStore store = DirectoryObjectStore.open(root)) {
                for (int n = 0; n < 16; n++) {
                    String name = "c1/" + n;
                    puts.add(tasks.submit(() -> put(store, name)));
                }
                await().until(() -> Files.exists(root.resolve("c1")));
            }
            List<Path> left = files(root);
            for (Future<Boolean> put : puts) {
                put.get(1, TimeUnit.MINUTES);
            }
            assertThat(files(root)).isEqualTo(left);
            assertThat(left).noneMatch(file -> file.toString().endsWith(".part"));
        }
    }

    /** Whether it is stored. */
    private static boolean put(ObjectStore store, String name) {
        try {
            store.put(name, Unpooled.wrappedBuffer(new byte[LARGE]));
            return true;
        } catch (ObjectStoreException e) {
            return false;
        }
    }

    private static List<Path> files(Path folder) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            return files.filter(Files::isRegularFile).sorted().toList();
        }
    }

    /** They are freed in pieces. */
    @Test
    void deletesLargeObjectsAndLeavesNothing() throws Exception {
        put("c1/a", new byte[LARGE]);
        put("c1/b", new byte[2 << 20]);
        delete("c1/a", "c1/b");
        assertThat(folder.resolve("new/tier/c1")).isEmptyDirectory();
    }

    /** As a backup by links holds it. */
    @Test
    void whatHasAnotherNameKeepsItsContentThere() throws Exception {
        byte[] content = new byte[LARGE];
        Arrays.fill(content, (byte) 5);
        put("c1/a", content);
        Path link = Files.createLink(folder.resolve("link"), folder.resolve("new/tier/c1/a"));
        delete("c1/a");
        assertThat(link).hasBinaryContent(content);
        assertThat(folder.resolve("new/tier/c1")).isEmptyDirectory();
    }

    @Test
    void saysThatItsPlaceIsTakenByAFile() throws Exception {
        Path file = Files.write(folder.resolve("file"), new byte[1]);
        assertThatThrownBy(() -> DirectoryObjectStore.open(file))
                .isInstanceOf(ObjectStoreException.Unavailable.class)
                .hasMessageContaining(file.toString());
    }

    @Test
    void namesTheFailuresOfTheFileSystem() {
        Path path = Path.of("/t/c1/a");
        assertThat(FileFailures.of("writing", path, new IOException("No space left on device")))
                .isInstanceOf(ObjectStoreException.Full.class)
                .hasMessage("No space left while writing /t/c1/a");
        assertThat(FileFailures.of("writing", path, new FileSystemException("/t", null, "Disk quota exceeded")))
                .isInstanceOf(ObjectStoreException.Full.class);
        assertThat(FileFailures.of("writing", path, new FileSystemException("/t", null, "Read-only file system")))
                .isInstanceOf(ObjectStoreException.Denied.class);
        assertThat(FileFailures.of("writing", path, new AccessDeniedException("/t")))
                .isInstanceOf(ObjectStoreException.Denied.class)
                .hasMessage("Not permitted: writing /t/c1/a");
        assertThat(FileFailures.of("writing", path, new IOException("Input/output error")))
                .isInstanceOf(ObjectStoreException.Unavailable.class);
    }

    /** A device without space, where the system has one. */
    @Test
    void saysThatTheDiskIsFull() throws Exception {
        Path full = Path.of("/dev/full");
        org.junit.jupiter.api.Assumptions.assumeTrue(Files.isWritable(full));
        Path objects = folder.resolve("new/tier/c1");
        Files.createDirectories(objects);
        Files.createSymbolicLink(objects.resolve(".a.part"), full);
        assertThatThrownBy(() -> put("c1/a", new byte[] {7})).isInstanceOf(ObjectStoreException.Full.class);
        assertThatThrownBy(() -> read("c1/a", 0, 1)).isInstanceOf(ObjectStoreException.NotFound.class);
        assertThat(objects).isEmptyDirectory();
        put("c1/a", new byte[] {7});
        assertThat(read("c1/a", 0, 1)).containsExactly(7);
    }

    private void delete(String... names) throws ObjectStoreException {
        try (ObjectStore store = open()) {
            store.delete(List.of(names));
        }
    }
}
