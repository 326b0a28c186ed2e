package io.sluice.store.container;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.HashMap;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * In a file that is mapped into memory: written without a call to the system, it outlives the process, and a machine as far as its
 * system has written it by then.
 *
 * <pre>
 *   version (8 bytes) | segment + 1, or 0 for none (8) | length (8) | segment + 1 | length | ...
 * </pre>
 *
 * <p>Beside it, {@code <file>.term} says in one line which term was the last that was taken over with it. Without that file, as earlier servers
 * leave it, all terms were. One term at a time uses both.
 */
public final class MappedEnds implements AcknowledgedEnds {
    private static final long VERSION = 1;
    private static final int HEAD = Long.BYTES;
    private static final int SLOT = 2 * Long.BYTES;
    private static final int FIRST_SLOTS = 4_095;

    private static final Logger log = LoggerFactory.getLogger(MappedEnds.class);

    private final Path file;
    private MappedByteBuffer map;
    private int used;

    private MappedEnds(Path file, MappedByteBuffer map) {
        this.file = file;
        this.map = map;
    }

    /**
     * Opens what is there, or begins anew. Blocks.
     *
     * @throws IOException also if a newer release wrote it
     */
    public static MappedEnds open(Path file) throws IOException {
        if (file.getParent() != null) {
            Files.createDirectories(file.getParent());
        }
        long size = Files.exists(file) ? Files.size(file) : 0;
        MappedByteBuffer map = map(file, Math.max(size, HEAD + FIRST_SLOTS * SLOT));
        long version = map.getLong(0);
        if (version != VERSION && version != 0) {
            throw new IOException(file + " has version " + version + ": a newer server wrote it");
        }
        map.putLong(0, VERSION);
        return new MappedEnds(file, map);
    }

    private static MappedByteBuffer map(Path file, long size) throws IOException {
        try (FileChannel channel =
                FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            return channel.map(FileChannel.MapMode.READ_WRITE, 0, size);
        }
    }

    @Override
    public int acknowledged(int place, long segment, long length) {
        int slot = place;
        if (slot == NO_PLACE) {
            slot = used++;
            if (at(used) > map.capacity()) {
                grow();
            }
            map.putLong(at(slot) + Long.BYTES, length);
            map.putLong(at(slot), segment + 1);
        } else {
            map.putLong(at(slot) + Long.BYTES, length);
        }
        return slot;
    }

    private void grow() {
        try {
            map = map(file, HEAD + 2L * (map.capacity() - HEAD));
        } catch (IOException e) {
            throw new UncheckedIOException("what is acknowledged cannot be noted in " + file, e);
        }
    }

    private static int at(int slot) {
        return HEAD + slot * SLOT;
    }

    @Override
    public void deleted(long segment) {
        for (int slot = 0; isUsed(slot); slot++) {
            if (map.getLong(at(slot)) == segment + 1) {
                map.putLong(at(slot) + Long.BYTES, 0);
            }
        }
    }

    private boolean isUsed(int slot) {
        return at(slot + 1) <= map.capacity() && map.getLong(at(slot)) != 0;
    }

    @Override
    public void takenOver(long term) {
        Path last = file.resolveSibling(file.getFileName() + ".term");
        try {
            long before = Files.exists(last)
                    ? Long.parseLong(Files.readString(last, US_ASCII).strip())
                    : term - 1;
            if (before != term - 1) {
                log.info("{} is of term {}: since then others had the container, who know what was lost", file, before);
                clear();
            }
            write(last, term);
        } catch (IOException | NumberFormatException e) {
            throw new IllegalStateException(last + " cannot be used: " + e.getMessage(), e);
        }
    }

    private static void write(Path last, long term) throws IOException {
        Path next = last.resolveSibling(last.getFileName() + ".new");
        try (FileChannel out = FileChannel.open(
                next, StandardOpenOption.CREATE, StandardOpenOption.TRUNCATE_EXISTING, StandardOpenOption.WRITE)) {
            out.write(US_ASCII.encode(Long.toString(term)));
            out.force(true);
        }
        Files.move(next, last, StandardCopyOption.ATOMIC_MOVE);
    }

    @Override
    public Map<Long, Long> last() {
        Map<Long, Long> ends = new HashMap<>();
        for (int slot = 0; isUsed(slot); slot++) {
            ends.put(map.getLong(at(slot)) - 1, map.getLong(at(slot) + Long.BYTES));
        }
        return ends;
    }

    @Override
    public void begin() {
        clear();
    }

    private void clear() {
        for (int slot = 0; isUsed(slot); slot++) {
            map.putLong(at(slot), 0);
        }
        used = 0;
    }
}
