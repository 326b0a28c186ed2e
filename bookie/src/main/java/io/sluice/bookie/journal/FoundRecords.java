package io.sluice.bookie.journal;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Records that a check has met, so that the storage that starts behind it need not look for them again. */
public final class FoundRecords {
    private final Map<Path, FileRecords> files = new HashMap<>();

    void of(Path file, FileRecords records) {
        files.put(file, records);
    }

    /** Null if the file has to be scanned; can be asked for once. */
    @Nullable
    FileRecords take(Path file) {
        return files.remove(file);
    }
}
