package io.sluice.conformance;

import java.nio.file.Path;

/** Fills a new data folder with this build: {@code RecordStoredFolder <folder>}. */
final class RecordStoredFolder {
    private RecordStoredFolder() {}

    public static void main(String[] arguments) throws Exception {
        try (SluiceServer server = SluiceServer.start(Path.of(arguments[0]), StoredData.SETTINGS, java.util.Map.of())) {
            new StoredData(server).write();
        }
        System.exit(0); // the clients' shared loops stay
    }
}
