package io.sluice.tiering.objectstore.filesystem;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.sluice.tiering.objectstore.ObjectName;
import io.sluice.tiering.objectstore.ObjectStore;
import io.sluice.tiering.objectstore.ObjectStoreException;
import io.sluice.tiering.objectstore.StoredObject;
import java.io.EOFException;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantReadWriteLock;

/**
 * Objects as files: the name is the path below the root, so names decide how many files share a directory.
 *
 * <pre>
 *   put:    write .2a.part ─► fsync it ─► rename to 2a ─► fsync the directory
 *   delete: rename to .2a.part ─► shrink it to nothing ─► unlink ─► fsync the directory
 * </pre>
 *
 * <p>A crash can leave {@code .2a.part} behind. It belongs to object {@code 2a} and goes when that is put again or deleted.
 */
public final class DirectoryObjectStore implements ObjectStore {
    private static final int DIRECTORIES_REMEMBERED = 1024;

    private final Path root;
    private final DirectWriter writer;
    private final DirectReader reader;
    private final GradualDelete deleting = new GradualDelete();
    /** Writers hold the read lock, so that closing can wait for all of them. */
    private final ReentrantReadWriteLock puts = new ReentrantReadWriteLock();
    /** Directories that this process has fsynced into those that hold them. */
    private final Set<Path> durableDirectories = ConcurrentHashMap.newKeySet();

    /** @param blockSize see {@link DirectFiles#blockSize} */
    private DirectoryObjectStore(Path root, int blockSize) {
        this.root = root;
        DiskTurns turns = new DiskTurns();
        writer = new DirectWriter(blockSize, turns);
        reader = new DirectReader(blockSize, turns);
    }

    /** Creates the directory if there is none, and tries whether it can be written. */
    public static DirectoryObjectStore open(Path root) throws ObjectStoreException {
        Path absolute = root.toAbsolutePath().normalize();
        try {
            Files.createDirectories(absolute);
            return new DirectoryObjectStore(absolute, DirectFiles.blockSize(absolute));
        } catch (IOException e) {
            throw FileFailures.of("opening the tier directory", absolute, e);
        }
    }

    /** For reading what is there: makes and tries nothing. A directory that does not exist has no objects. */
    public static DirectoryObjectStore toRead(Path root) {
        return new DirectoryObjectStore(root.toAbsolutePath().normalize(), DirectFiles.NONE);
    }

    @Override
    public void put(String name, ByteBuf content) throws ObjectStoreException {
        puts.readLock().lock();
        try {
            write(name, content);
        } finally {
            puts.readLock().unlock();
        }
    }

    private void write(String name, ByteBuf content) throws ObjectStoreException {
        Path file = file(name);
        Path part = part(file);
        try {
            writer.checkOpen();
            makeDurable(directory(file));
            writer.write(part, content);
            Files.move(part, file, StandardCopyOption.ATOMIC_MOVE);
            sync(directory(file));
        } catch (IOException e) {
            deleteQuietly(part);
            throw FileFailures.of("writing", file, e);
        }
    }

    /** Reports the first failure; the part that could not be removed either is overwritten by the retry. */
    private static void deleteQuietly(Path part) {
        try {
            Files.deleteIfExists(part);
        } catch (IOException ignored) {
            // The caller already has the reason.
        }
    }

    @Override
    public ByteBuf read(String name, long offset, int length, ByteBufAllocator allocator) throws ObjectStoreException {
        Path file = file(name);
        try {
            return reader.read(file, offset, length, allocator);
        } catch (EOFException e) {
            throw new ObjectStoreException.Truncated("Object " + file + " " + e.getMessage());
        } catch (IOException e) {
            throw FileFailures.of("reading", file, e);
        }
    }

    @Override
    public long size(String name) throws ObjectStoreException {
        Path file = file(name);
        try {
            return Files.size(file);
        } catch (IOException e) {
            throw FileFailures.of("looking at", file, e);
        }
    }

    @Override
    public void delete(List<String> names) throws ObjectStoreException {
        Set<Path> changed = new HashSet<>();
        for (String name : names) {
            Path file = file(name);
            try {
                hide(file);
                deleting.delete(part(file), names.size());
                // An earlier, failed call may have deleted it without the sync: sync whenever the directory is there.
                if (Files.isDirectory(directory(file))) {
                    changed.add(directory(file));
                }
            } catch (IOException e) {
                throw FileFailures.of("deleting", file, e);
            }
        }
        for (Path directory : changed) {
            try {
                sync(directory);
            } catch (IOException e) {
                throw FileFailures.of("deleting in", directory, e);
            }
        }
    }

    /** From now on a reader finds no object, not a part of one. */
    private static void hide(Path file) throws IOException {
        if (!Files.isRegularFile(file)) {
            return; // none, or a folder of objects
        }
        try {
            Files.move(file, part(file), StandardCopyOption.ATOMIC_MOVE);
        } catch (NoSuchFileException e) {
            // Another thread deletes it.
        }
    }

    @Override
    public List<StoredObject> list(String prefix, String after, int max) throws ObjectStoreException {
        List<StoredObject> found = new ArrayList<>();
        try {
            Files.walkFileTree(root, new SimpleFileVisitor<>() {
                @Override
                public FileVisitResult preVisitDirectory(Path directory, BasicFileAttributes attributes) {
                    String name = directory.equals(root) ? "" : nameOf(directory) + "/";
                    return name.startsWith(prefix) || prefix.startsWith(name)
                            ? FileVisitResult.CONTINUE
                            : FileVisitResult.SKIP_SUBTREE;
                }

                @Override
                public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                    String name = nameOf(file);
                    boolean hidden = file.getFileName().toString().startsWith(".");
                    if (!hidden && name.startsWith(prefix) && name.compareTo(after) > 0) {
                        found.add(new StoredObject(name, attributes.size()));
                    }
                    return FileVisitResult.CONTINUE;
                }

                @Override
                public FileVisitResult visitFileFailed(Path file, IOException e) throws IOException {
                    if (e instanceof NoSuchFileException) {
                        return FileVisitResult.CONTINUE; // deleted or renamed meanwhile
                    }
                    throw e;
                }
            });
        } catch (IOException e) {
            throw FileFailures.of("listing", root, e);
        }
        found.sort(Comparator.comparing(StoredObject::name));
        return found.size() <= max ? found : List.copyOf(found.subList(0, max));
    }

    /** Cancels all writes; nothing of them is left when this returns. */
    @Override
    public void close() {
        writer.close();
        // returns when no write is under way
        puts.writeLock().lock();
        puts.writeLock().unlock();
    }

    private Path file(String name) {
        return root.resolve(ObjectName.check(name));
    }

    private String nameOf(Path file) {
        return root.relativize(file).toString();
    }

    /** The dot keeps it out of listings and apart from every object's name. */
    private static Path part(Path file) {
        return file.resolveSibling("." + file.getFileName() + ".part");
    }

    private static Path directory(Path file) {
        Path parent = file.getParent();
        if (parent == null) {
            throw new IllegalArgumentException("No directory holds " + file);
        }
        return parent;
    }

    /**
     * Creates the directory and those above it, each fsynced into the one that holds it. That a directory exists does not
     * say that it is durable: another thread, or a process that crashed, may have created it a moment ago.
     */
    private void makeDurable(Path directory) throws IOException {
        if (durableDirectories.contains(directory)) {
            return;
        }
        Path parent = directory(directory);
        if (!directory.equals(root)) {
            makeDurable(parent);
            Files.createDirectories(directory);
            sync(parent);
        } else if (Files.isReadable(parent)) {
            // Not ours: where we may not open it, its owner made the root durable long ago.
            sync(parent);
        }
        if (durableDirectories.size() >= DIRECTORIES_REMEMBERED) {
            durableDirectories.clear();
        }
        durableDirectories.add(directory);
    }

    private static void sync(Path directory) throws IOException {
        try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
            channel.force(true);
        }
    }
}
