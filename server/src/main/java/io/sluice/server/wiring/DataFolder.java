package io.sluice.server.wiring;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The folder that holds all data of an embedded server; one process at a time, by a lock the system drops on a crash. */
public final class DataFolder implements AutoCloseable {
    private static final List<String> FOLDERS = List.of("metadata", "bookie", "logs");

    private final Path root;
    private final FileChannel lockFile;

    private DataFolder(Path root, FileChannel lockFile) {
        this.root = root;
        this.lockFile = lockFile;
    }

    /** @param leastFreeBytes disk space without which a start would only fail later */
    public static DataFolder open(Path folder, long leastFreeBytes) throws StartException {
        Path root = folder.toAbsolutePath().normalize();
        try {
            Files.createDirectories(root);
            checkSpace(root, leastFreeBytes);
            checkFolders(root);
            FileChannel file =
                    FileChannel.open(root.resolve("sluice.lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
            if (!lock(file)) {
                file.close();
                throw new StartException(
                        "the data folder " + root + " is in use by another server: stop it, or give another --data");
            }
            return new DataFolder(root, file);
        } catch (FileAlreadyExistsException e) {
            throw new StartException("the data folder " + root + " is a file: give another --data");
        } catch (AccessDeniedException e) {
            throw new StartException(
                    "cannot write to the data folder " + root + ": change its rights, or give another --data");
        } catch (IOException e) {
            throw new StartException(
                    "cannot use the data folder " + root + " (" + e.getMessage() + "): give another --data");
        }
    }

    private static void checkSpace(Path root, long least) throws IOException, StartException {
        long free = Files.getFileStore(root).getUsableSpace();
        if (free < least) {
            throw new StartException("the disk of the data folder " + root + " has " + (free >> 20)
                    + " MiB free, a start needs " + (least >> 20) + ": free some, or give another --data");
        }
    }

    /** A start by another user, by mistake, leaves folders that this one cannot write to. */
    private static void checkFolders(Path root) throws StartException {
        for (String name : FOLDERS) {
            Path inside = root.resolve(name);
            if (Files.exists(inside) && !Files.isDirectory(inside)) {
                throw new StartException(inside + " is a file where a folder of the server belongs: move it away");
            }
            if (Files.exists(inside) && !Files.isWritable(inside)) {
                throw new StartException("cannot write to " + inside + ": change its rights, or give another --data");
            }
        }
    }

    private static boolean lock(FileChannel file) throws IOException {
        try {
            @Nullable FileLock lock = file.tryLock();
            return lock != null;
        } catch (OverlappingFileLockException e) {
            return false;
        }
    }

    public Path root() {
        return root;
    }

    @Override
    public void close() throws IOException {
        lockFile.close();
    }
}
