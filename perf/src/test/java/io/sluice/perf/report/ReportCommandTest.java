package io.sluice.perf.report;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.datatype.jsr310.JavaTimeModule;
import io.sluice.perf.result.RunResult;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

class ReportCommandTest {
    @TempDir
    Path folder;

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    @Test
    void joinsRunsAndPrintsWhatItWrote() throws IOException {
        List<RunResult> results = SampleResults.pair(200_000, 100_000);
        Path first = run("first", results.subList(0, 1));
        Path second = run("second", results.subList(1, 6));
        Path target = folder.resolve("joined");

        assertThat(execute(first.toString(), second.toString(), "--output", target.toString()))
                .isZero();

        assertThat(out.toString().lines().map(Path::of))
                .containsExactly(target.resolve("report.html"), target.resolve("report.xlsx"))
                .allMatch(Files::isRegularFile);
        assertThat(Files.readString(target.resolve("report.html"))).containsPattern("▲ (1\\.9|2\\.)\\d+×");
    }

    @Test
    void oneRoundShowsNoWinner() throws IOException {
        Path run = run("once", SampleResults.pair(200_000, 100_000).subList(0, 2));

        assertThat(execute(run.toString())).isZero();

        assertThat(Files.readString(run.resolve("report.html")))
                .contains("fewer than three rounds")
                .doesNotContainPattern("[▲▼] \\d");
    }

    @Test
    void saysInOneLineWhatIsWrongWithAFolder() throws IOException {
        Files.writeString(folder.resolve("results.json"), "[{\"suite\": 1,");

        assertThat(execute(folder.toString())).isEqualTo(1);
        assertThat(execute(folder.resolve("none").toString())).isEqualTo(1);

        assertThat(err.toString().lines())
                .hasSize(2)
                .allMatch(line -> line.startsWith("report: "))
                .anyMatch(line -> line.contains("cannot be read"))
                .anyMatch(line -> line.contains("not the folder of a run"));
    }

    private int execute(String... arguments) {
        return new CommandLine(new ReportCommand())
                .setOut(new PrintWriter(out, true))
                .setErr(new PrintWriter(err, true))
                .execute(arguments);
    }

    private Path run(String name, List<RunResult> results) throws IOException {
        Path run = Files.createDirectory(folder.resolve(name));
        JsonMapper.builder()
                .addModule(new JavaTimeModule())
                .disable(SerializationFeature.WRITE_DATES_AS_TIMESTAMPS)
                .build()
                .writeValue(run.resolve("results.json").toFile(), results);
        return run;
    }
}
