package io.sluice.conformance;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** Fills a new data folder with this build: {@code RecordStoredFolder <folder>}. */
final class RecordStoredFolder {
    private RecordStoredFolder() {}

    public static void main(String[] arguments) throws Exception {
        try (SluiceServer server = SluiceServer.start(Path.of(arguments[0]), StoredData.SETTINGS, Map.of())) {
            List<StoredPart> parts =
                    List.of(new StoredData(server), new StoredTransactions(server), new StoredTopics(server));
            for (StoredPart part : parts) {
                part.write();
            }
            server.stop();
            server.start();
            for (StoredPart part : parts) {
                part.writeBehindCheckpoints();
            }
            server.kill();
        }
        System.exit(0); // the clients' shared loops stay
    }
}
