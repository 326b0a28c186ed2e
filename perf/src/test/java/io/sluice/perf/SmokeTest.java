package io.sluice.perf;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.perf.peer.Certificates;
import io.sluice.perf.peer.Checkout;
import io.sluice.perf.peer.Contender;
import io.sluice.perf.peer.Contenders;
import io.sluice.perf.peer.RunningServer;
import io.sluice.perf.peer.ServerSetup;
import io.sluice.perf.result.ResultFiles;
import io.sluice.perf.result.RunResult;
import io.sluice.perf.workload.Workload;
import io.sluice.perf.workload.WorkloadFile;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** The whole way once: the built server under the smoke workload over both protocols, results and report. */
class SmokeTest {
    private static final int SERVER_MEBIBYTES = 1_024;

    @TempDir
    Path folder;

    private final StringWriter out = new StringWriter();

    private static Path workloads() throws Exception {
        return Checkout.find().home().resolve("perf").resolve("workloads");
    }

    @Test
    void transactionsAreMeasuredAndRead() {
        assertThat(execute(
                        "transactions",
                        "--systems",
                        "sluice",
                        "--only",
                        "every 1,000 records",
                        "--rounds",
                        "1",
                        "--warm-up",
                        "1",
                        "--seconds",
                        "1",
                        "--memory",
                        SERVER_MEBIBYTES + "m",
                        "--data",
                        folder.toString()))
                .isZero();
        assertThat(out.toString()).containsPattern("sluice +[\\d,]+ records/s +[\\d.,]+ commits/s +commit p50");
    }

    @Test
    void bothProtocolsTakeTheLoadKafkasWithTlsAndTheReportShowsIt() throws Exception {
        Path file = workloads().resolve("smoke.yaml");
        Workload smoke = WorkloadFile.read(file);
        Path results = folder.resolve("results");
        Checkout checkout = Checkout.find();
        var setup = new ServerSetup(SERVER_MEBIBYTES, folder).with(Certificates.make(checkout, folder));
        Contender sluice = new Contenders(setup, checkout).named("sluice");
        sluice.prepare();
        try (RunningServer server = sluice.start(Files.createDirectory(folder.resolve("data")))) {
            assertThat(execute(
                            "run",
                            file.toString(),
                            "--target",
                            server.target("kafka"),
                            "--target",
                            server.target("pulsar"),
                            "--target",
                            server.target("kafka") + "," + server.target("pulsar"),
                            "--server-pid",
                            Long.toString(server.pid()),
                            "--output",
                            results.toString()))
                    .isZero();
        }
        List<RunResult> written = ResultFiles.read(results);
        assertThat(written)
                .extracting(result -> result.subject().protocol())
                .containsExactly("kafka", "pulsar", "kafka-to-pulsar");
        for (RunResult result : written) {
            RunResult.Figures figures = result.figures();
            assertThat(result.failure()).isNull();
            assertThat(result.series()).hasSize(smoke.testDurationSeconds());
            assertThat(figures.publish().p50())
                    .isPositive()
                    .isLessThanOrEqualTo(figures.publish().max());
            assertThat(figures.endToEnd().count())
                    .isGreaterThan(figures.publish().count());
            assertThat(figures.serverCpuSeconds()).isPositive();
            assertThat(figures.serverDiskWriteBytes()).isPositive();
        }
        assertThat(execute("report", results.toString())).isZero();
        assertThat(results.resolve("report.html")).content().contains("smoke");
        assertThat(results.resolve("report.xlsx")).isNotEmptyFile();
    }

    @Test
    void everyWorkloadFileCanBeRead() throws Exception {
        try (Stream<Path> files = Files.list(workloads())) {
            assertThat(files.toList())
                    .hasSizeGreaterThan(1)
                    .allSatisfy(
                            file -> assertThat(WorkloadFile.read(file).name()).isNotEmpty());
        }
    }

    private int execute(String... arguments) {
        CommandLine perf = PerfCommand.commandLine().setOut(new PrintWriter(out, true));
        return perf.execute(arguments);
    }
}
