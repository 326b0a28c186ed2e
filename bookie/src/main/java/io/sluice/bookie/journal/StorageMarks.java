package io.sluice.bookie.journal;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.apache.bookkeeper.bookie.LedgerStorage.StorageState;

/**
 * Facts about a ledger storage that are in no journal, each an empty file: {@code <ledger>.limbo} of a ledger of which it is not known which
 * entries were lost, and {@code <state>.state}. They are set and cleared durably.
 */
final class StorageMarks {
    private static final String LIMBO = ".limbo";
    private static final String STATE = ".state";

    private final Path folder;

    StorageMarks(Path folder) {
        this.folder = folder;
    }

    List<Long> limbo() throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.map(file -> file.getFileName().toString())
                    .filter(name -> name.endsWith(LIMBO))
                    .map(name -> Long.parseLong(name.substring(0, name.length() - LIMBO.length()), 16))
                    .toList();
        }
    }

    void limbo(long ledger, boolean set) throws IOException {
        mark(Long.toHexString(ledger) + LIMBO, set);
    }

    EnumSet<StorageState> states() {
        EnumSet<StorageState> set = EnumSet.noneOf(StorageState.class);
        for (StorageState state : StorageState.values()) {
            if (Files.exists(folder.resolve(name(state)))) {
                set.add(state);
            }
        }
        return set;
    }

    void state(StorageState state, boolean set) throws IOException {
        mark(name(state), set);
    }

    private static String name(StorageState state) {
        return state.name().toLowerCase(Locale.ROOT) + STATE;
    }

    private void mark(String name, boolean set) throws IOException {
        Path file = folder.resolve(name);
        if (set) {
            try {
                Files.createFile(file);
            } catch (FileAlreadyExistsException alreadySet) {
                return;
            }
        } else if (!Files.deleteIfExists(file)) {
            return;
        }
        try (FileChannel directory = FileChannel.open(folder, StandardOpenOption.READ)) {
            directory.force(true);
        }
    }
}
