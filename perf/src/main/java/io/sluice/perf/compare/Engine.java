package io.sluice.perf.compare;

import io.sluice.perf.result.RunResult;
import io.sluice.perf.workload.Workload;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/**
 * Parts of perf that the commands of comparison use.
 *
 * @param driver puts load on a server
 * @param workloads reads workload files
 * @param results keeps what came out
 */
public record Engine(LoadDriver driver, WorkloadReader workloads, ResultWriter results) {
    public interface WorkloadReader {
        /** @throws IOException whose message tells a user what is wrong with the file */
        Workload read(Path file) throws IOException;
    }

    public interface ResultWriter {
        /** Writes all results so far, over those written to this folder before, and makes the folder if need be. */
        void write(Path folder, List<RunResult> results) throws IOException;
    }
}
