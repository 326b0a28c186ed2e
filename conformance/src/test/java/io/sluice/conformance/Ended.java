package io.sluice.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** How a command ended: its exit code and what it printed, standard output and error. */
record Ended(int code, String output) {
    private static final Path SLUICE = Path.of("../sluice").toAbsolutePath().normalize();

    /** Runs {@code ./sluice} with {@code folder} as its working folder, which takes the output, too. */
    static Ended sluice(Path folder, String... arguments) throws Exception {
        List<String> command = new ArrayList<>(List.of(SLUICE.toString()));
        command.addAll(List.of(arguments));
        Path output = folder.resolve("output");
        ProcessBuilder builder = new ProcessBuilder(command)
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile());
        // After a build a start prepares the next ones, and says so.
        builder.environment().put("SLUICE_NO_AOT", "1");
        builder.environment().put("SLUICE_JVM_OPTS", BriefJvm.OPTIONS);
        Process process = builder.start();
        assertThat(process.waitFor(120, TimeUnit.SECONDS)).isTrue();
        return new Ended(process.exitValue(), Files.readString(output, StandardCharsets.UTF_8));
    }

    /** The start was refused in one line that has these parts. */
    void assertOneLine(String... parts) {
        assertThat(code).as(output).isEqualTo(1);
        assertThat(output.strip().lines()).as(output).hasSize(1);
        assertThat(output).startsWith("sluice: ").contains(parts);
    }
}
