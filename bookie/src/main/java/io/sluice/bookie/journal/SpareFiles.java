package io.sluice.bookie.journal;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.stream.Stream;

/**
 * Files of a journal's folder that were written before and hold nothing any more. To overwrite them is many times faster
 * than to let a file grow: the file system has nothing to record, so a durable write waits for these bytes and for no one else's. A file
 * is made only when there is no spare, so there are never more than the journal once needed at a time, and one.
 *
 * <p>The folder itself is the list of spares, which the journal takes from while the storage adds to it and removes.
 */
final class SpareFiles {
    private static final String SUFFIX = ".spare";

    private static final int CHUNK = 1 << 20;

    private final Path journal;

    SpareFiles(Path journal) {
        this.journal = journal;
    }

    /**
     * Makes a spare the file of this name, in place of the one that has it.
     *
     * @return false if there is no spare
     */
    synchronized boolean take(Path name) throws IOException {
        for (Path spare : list()) {
            try {
                Files.move(spare, name, StandardCopyOption.ATOMIC_MOVE);
                forceFolder();
                return true;
            } catch (NoSuchFileException goneMeanwhile) {
                continue;
            }
        }
        return false;
    }

    /** The file is needed no more: a spare from now on, if it has at least so many bytes. */
    synchronized void give(Path file, long least) throws IOException {
        if (Files.size(file) < least) {
            Files.delete(file);
            return;
        }
        String name = file.getFileName().toString();
        Files.move(file, journal.resolve(name + SUFFIX), StandardCopyOption.ATOMIC_MOVE);
    }

    /**
     * Gives disk space back, one file per call until one is left. To delete a file may hold up the whole disk, where it is told
     * of freed blocks (mount option {@code discard}): not a thing to do under load.
     */
    synchronized void shrink() throws IOException {
        List<Path> spares = list();
        if (spares.size() > 1) {
            Files.deleteIfExists(spares.getLast());
        }
    }

    /** Writes a spare if there is none; zeros of so many bytes. */
    void prepare(long bytes) throws IOException {
        if (!list().isEmpty()) {
            return;
        }
        Path unfinished = journal.resolve("prepared.new");
        ByteBuffer zeros =
                ByteBuffer.allocateDirect(2 * CHUNK).alignedSlice(CHUNK).limit(CHUNK);
        Files.deleteIfExists(unfinished);
        // in the page cache it would be dirty, and what is dirty there holds up the journal
        try (FileChannel out =
                PastPageCache.open(unfinished, CHUNK, StandardOpenOption.WRITE, StandardOpenOption.CREATE)) {
            for (long at = 0; at < bytes; at += CHUNK) {
                out.write(zeros.rewind(), at);
            }
            out.force(true);
        }
        synchronized (this) {
            Files.move(unfinished, journal.resolve("prepared" + SUFFIX), StandardCopyOption.ATOMIC_MOVE);
            forceFolder();
        }
    }

    private List<Path> list() throws IOException {
        try (Stream<Path> all = Files.list(journal)) {
            return all.filter(file -> file.toString().endsWith(SUFFIX)).sorted().toList();
        }
    }

    private void forceFolder() throws IOException {
        try (FileChannel directory = FileChannel.open(journal, StandardOpenOption.READ)) {
            directory.force(true);
        }
    }
}
