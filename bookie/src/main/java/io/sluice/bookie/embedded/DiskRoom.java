package io.sluice.bookie.embedded;

import java.io.IOException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Whether the disk has room for more appends. They are turned away long before the bookie stops taking writes, so that what
 * frees space, or only moves it, still goes through.
 */
final class DiskRoom {
    /** How often it is looked at, milliseconds; a fast disk takes 100 MiB in that time. */
    static final long LOOK_MILLIS = 100;

    private static final Logger log = LoggerFactory.getLogger(DiskRoom.class);

    private final Path folder;
    private final FileStore disk;
    private final long leastBytes;
    private volatile boolean there = true;

    /** @param leastBytes free space below which there is no room */
    DiskRoom(Path folder, long leastBytes) throws IOException {
        this.folder = folder;
        this.disk = Files.getFileStore(folder);
        this.leastBytes = leastBytes;
    }

    /** Any thread. */
    boolean there() {
        return there;
    }

    /** One thread. */
    void look() {
        boolean found;
        try {
            found = disk.getUsableSpace() >= leastBytes;
        } catch (IOException e) {
            return; // as it was, until it can be told
        }
        if (found != there) {
            there = found;
            if (found) {
                log.info("The disk of {} has room again: appends are taken", folder);
            } else {
                log.warn(
                        "The disk of {} has less than {} MiB free: appends are turned away until there is more",
                        folder,
                        leastBytes >> 20);
            }
        }
    }
}
