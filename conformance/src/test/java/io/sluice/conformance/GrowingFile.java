package io.sluice.conformance;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

/** A file to which numbered lines are appended, a thousand in a second. */
final class GrowingFile implements AutoCloseable {
    private static final int AT_ONCE = 50;

    private final Path path;
    private final ScheduledExecutorService pen = Executors.newSingleThreadScheduledExecutor();
    private volatile int written;

    GrowingFile(Path path) throws IOException {
        this.path = Files.createFile(path);
    }

    Path path() {
        return path;
    }

    static String line(int number) {
        return "line-" + number;
    }

    static List<String> lines(int first, int last) {
        return IntStream.rangeClosed(first, last).mapToObj(GrowingFile::line).toList();
    }

    void start() {
        pen.scheduleWithFixedDelay(this::append, 0, 50, TimeUnit.MILLISECONDS);
    }

    private void append() {
        try {
            Files.write(path, lines(written + 1, written + AT_ONCE), StandardOpenOption.APPEND);
            written = written + AT_ONCE;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * No line comes after this.
     *
     * @return how many there are
     */
    int finish() throws InterruptedException {
        pen.shutdown();
        if (!pen.awaitTermination(60, TimeUnit.SECONDS)) {
            throw new IllegalStateException("still writes after a minute");
        }
        return written;
    }

    @Override
    public void close() {
        pen.shutdownNow();
    }
}
