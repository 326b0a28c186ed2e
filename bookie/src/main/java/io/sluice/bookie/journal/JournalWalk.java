package io.sluice.bookie.journal;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.lang.foreign.Arena;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.FutureTask;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Reads the records of a journal's files, for {@link JournalCheck} to say what they mean. A start that has begun it goes on with
 * other things meanwhile: the disk has the most to do.
 */
public final class JournalWalk implements AutoCloseable {
    /** The journal begins a file while the one before it is on its way to the disk. */
    private static final int NEWEST_FILES = 2;

    /** Enough for a fast disk, and not many for a slow one. */
    private static final int READERS = 8;

    /** No write that a crash can have lost is larger, and what it may not have forced before that. */
    static final long MOST_IN_FLIGHT = 4 << 20;

    /** How far behind a file's end a start looks for entries. */
    private static final long LOOK_BEHIND_END = MOST_IN_FLIGHT;

    private final Path journal;
    private final boolean everything;
    private final Opener opener;
    private final @Nullable ExecutorService readers;
    private final List<Walked> kept = new ArrayList<>();
    private final List<Walked> older = new ArrayList<>();
    private final List<Walked> newest = new ArrayList<>();

    private interface Opener {
        FileBytes open(Path file) throws IOException;
    }

    /** A file, and what its records say as soon as that is known. */
    static final class Walked {
        private final CheckedFile file;
        private final FutureTask<FileRecords> reading;

        Walked(CheckedFile file, boolean newest, boolean everything) {
            this.file = file;
            reading = new FutureTask<>(() -> {
                FileRecords records = file.records(newest || everything);
                if (!records.damaged()) {
                    long end = records.end();
                    boolean all = everything || !newest && file.muchUnused(end);
                    records.behind(file.entries(end, all ? file.size() : end + LOOK_BEHIND_END));
                }
                return records;
            });
        }

        /** For one thread, once {@link #records} has returned. */
        CheckedFile file() {
            return file;
        }

        FileRecords records() throws IOException {
            // unless it has begun
            reading.run();
            try {
                return reading.get();
            } catch (ExecutionException e) {
                throw e.getCause() instanceof IOException asItIs ? asItIs : new IOException(e.getCause());
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new InterruptedIOException("interrupted while reading " + file.path());
            }
        }
    }

    private JournalWalk(Path journal, boolean everything, Opener opener, @Nullable ExecutorService readers) {
        this.journal = journal;
        this.everything = everything;
        this.opener = opener;
        this.readers = readers;
    }

    /**
     * Begins to read what a start has to know: headers, and checksums in the newest files only, which are the ones a crash can have
     * torn. Changes nothing.
     *
     * @param journal folder of the journal's files
     * @param kept folder of the ledgers that outlived their files
     */
    public static JournalWalk beforeStart(Path journal, Path kept) throws IOException {
        var readers = Executors.newFixedThreadPool(
                READERS, Thread.ofPlatform().daemon().name("journal-walk-", 0).factory());
        return new JournalWalk(journal, false, WindowedBytes::new, readers).begun(kept);
    }

    /** Reads all there is; what is handed out of the files lives as long as the arena. */
    static JournalWalk ofEverything(Path journal, Path kept, Arena arena) throws IOException {
        return new JournalWalk(journal, true, file -> new MappedBytes(file, arena), null).begun(kept);
    }

    private JournalWalk begun(Path keptFolder) throws IOException {
        try {
            for (Path path : keptFiles(keptFolder)) {
                kept.add(new Walked(new CheckedFile(path, opener.open(path), 0), false, everything));
            }
            List<Path> files = Files.isDirectory(journal) ? JournalFormat.files(journal) : List.of();
            for (Path path : files) {
                boolean isNew = older.size() >= files.size() - NEWEST_FILES;
                var file = new CheckedFile(path, opener.open(path), JournalFormat.FILE_HEADER);
                (isNew ? newest : older).add(new Walked(file, isNew, everything));
            }
            if (readers != null) {
                // those of which all is read take longest
                for (List<Walked> some : List.of(newest, kept, older)) {
                    some.forEach(walked -> readers.execute(walked.reading));
                }
            }
            return this;
        } catch (IOException | RuntimeException e) {
            close();
            throw e;
        }
    }

    private static List<Path> keptFiles(Path folder) throws IOException {
        if (!Files.isDirectory(folder)) {
            return List.of();
        }
        try (Stream<Path> all = Files.list(folder)) {
            return all.filter(file -> file.toString().endsWith(KeptLedgers.SUFFIX))
                    .sorted()
                    .toList();
        }
    }

    public Path journal() {
        return journal;
    }

    List<Walked> kept() {
        return kept;
    }

    /** The journal's files but the newest, oldest first. */
    List<Walked> older() {
        return older;
    }

    /** Files that a crash can have torn. */
    List<Walked> newest() {
        return newest;
    }

    /** Waits for the readers. */
    @Override
    public void close() throws IOException {
        if (readers != null) {
            readers.shutdownNow();
            readers.close();
        }
        for (List<Walked> some : List.of(kept, older, newest)) {
            for (Walked walked : some) {
                walked.file.close();
            }
        }
    }
}
