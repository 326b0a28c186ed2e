package io.sluice.perf.report;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.datatype.jsr310.JavaTimeModule;
import io.sluice.perf.result.RunResult;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** What a run left behind: {@code results.json}, an array of {@link RunResult}. */
final class RunFolder {
    private static final String RESULTS = "results.json";
    private static final JsonMapper JSON =
            JsonMapper.builder().addModule(new JavaTimeModule()).build();

    private RunFolder() {}

    /** @throws IOException whose message tells a user what is wrong with the folder */
    static List<RunResult> read(Path folder) throws IOException {
        Path file = folder.resolve(RESULTS);
        if (!Files.isRegularFile(file)) {
            throw new IOException(folder + " has no " + RESULTS + ": it is not the folder of a run");
        }
        try {
            return JSON.readValue(file.toFile(), new TypeReference<List<RunResult>>() {});
        } catch (JsonProcessingException e) {
            throw new IOException(file + " cannot be read as results: " + e.getOriginalMessage(), e);
        }
    }
}
