package io.sluice.perf.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Charts of a page as its own scripts draw them, in Node; without it a test is skipped, and fails in CI. */
final class DrawnCharts {
    private static final JsonMapper JSON = new JsonMapper();
    private static final Path SCRIPT = Path.of("src", "test", "resources", "io", "sluice", "perf", "report", "draw.js");

    private DrawnCharts() {}

    /**
     * @param texts labels and titles of the axes
     * @param drawn how many unbroken lines and whiskers each line has
     * @param tip HTML under the pointer at the first point of the first line; empty where ECharts makes it
     * @param broken whether something that is no number was drawn
     */
    record Drawn(String title, List<String> texts, List<Integer> drawn, String tip, boolean broken) {}

    static List<Drawn> of(String page) throws IOException, InterruptedException {
        requireNode();
        Path file = Files.createTempFile(Path.of("target"), "charts", ".html");
        Path out = Files.createTempFile(Path.of("target"), "charts", ".json");
        try {
            Files.writeString(file, page);
            Process node = new ProcessBuilder("node", SCRIPT.toString(), file.toString())
                    .redirectErrorStream(true)
                    .redirectOutput(out.toFile())
                    .start();
            boolean ended = node.waitFor(2, TimeUnit.MINUTES);
            node.destroyForcibly();
            String said = Files.readString(out);
            assertThat(ended && node.exitValue() == 0)
                    .as(said.substring(Math.max(0, said.length() - 2_000)))
                    .isTrue();
            return said.lines().map(DrawnCharts::parse).toList();
        } finally {
            Files.delete(file);
            Files.delete(out);
        }
    }

    private static Drawn parse(String line) {
        try {
            return JSON.readValue(line, Drawn.class);
        } catch (IOException e) {
            throw new AssertionError(line, e);
        }
    }

    private static void requireNode() throws IOException, InterruptedException {
        boolean found =
                new ProcessBuilder("sh", "-c", "command -v node").start().waitFor() == 0;
        if ("true".equals(System.getenv("CI"))) {
            assertThat(found).as("node must be installed in CI").isTrue();
        }
        assumeThat(found).as("node is not installed, this test is skipped").isTrue();
    }
}
