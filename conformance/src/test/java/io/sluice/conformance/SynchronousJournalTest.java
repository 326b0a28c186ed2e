package io.sluice.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.conformance.JournalCalls.Written;
import io.sluice.conformance.clients.Wanted;
import io.sluice.conformance.steps.AgentJar;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What is acknowledged is on the disk: every write to the log goes through a descriptor that was opened with {@code O_DSYNC}. No crash of a
 * process shows that, only one of the machine would. The server runs under {@code strace}.
 */
class SynchronousJournalTest {
    private static final int ONE_BY_ONE = 30;

    /** A file of the journal has 128 MiB, so that the second begins, over a spare; and the ledger of the other container is copied. */
    private static final int MEBIBYTES = 200;

    /** The journal is kept for as much as one file. */
    private static final String SETTINGS = "store: {containers: 2, ledgerBytes: 4194304, walLimitBytes: 33554432}";

    @TempDir
    private Path folder;

    @Test
    void everyWriteToTheLogIsSynchronous() throws Exception {
        JournalCalls calls = run("");
        expectSynchronous(calls);
        assertThat(calls.writes.keySet())
                .allMatch(written -> written.openedWith().contains("O_DIRECT"));
    }

    @Test
    void norDoesItNeedAFileSystemWithDirectAccess() throws Exception {
        Path refusing = Files.createFile(folder.resolve("refusing"));
        JournalCalls calls = run("-javaagent:" + AgentJar.in(folder)
                + "=io/sluice/bookie/journal/PastPageCache#direct,failing," + refusing);
        expectSynchronous(calls);
        assertThat(calls.writes.keySet())
                .noneMatch(written -> written.openedWith().contains("O_DIRECT"));
    }

    private static void expectSynchronous(JournalCalls calls) {
        assertThat(calls.writes.keySet())
                .allMatch(written -> written.openedWith().contains("O_DSYNC"));
        assertThat(calls.writes.values().stream().mapToInt(Integer::intValue).sum())
                .as("each of those sent one by one is a write")
                .isGreaterThan(ONE_BY_ONE);
        List<String> files = calls.writes.keySet().stream().map(Written::file).toList();
        assertThat(files).as("a file that was made by this server").anyMatch(file -> !calls.overwritten.contains(file));
        assertThat(files).as("a file that was another before").anyMatch(calls.overwritten::contains);
        assertThat(calls.copies).as("ledgers copied out of the journal").isNotEmpty();
        assertThat(calls.unsyncedCopies).isEmpty();
    }

    private JournalCalls run(String jvmOptions) throws Exception {
        Wanted.require(isThere(), "strace (Debian: strace)");
        Path trace = folder.resolve("trace");
        try (SluiceServer server = SluiceServer.start(
                folder.resolve("data"),
                SETTINGS,
                // without the trial run of a first start, which has a journal of its own
                Map.of("SLUICE_JVM_OPTS", jvmOptions, "SLUICE_NO_AOT", "1"),
                JournalCalls.tracing(trace))) {
            produce(server);
            await().atMost(Duration.ofSeconds(30)).until(() -> copied(server.folder()));
            // what was copied is free to be written over by the next file
            produce(server);
            // strace pads a process id that has fewer than five digits
            Pattern end = Pattern.compile(server.pid() + " +\\+\\+\\+ exited.*");
            server.stop();
            // the tracer is a process of its own
            await().atMost(Duration.ofSeconds(30)).until(() -> hasLine(trace, end));
        }
        return JournalCalls.in(trace);
    }

    private static boolean hasLine(Path trace, Pattern wanted) throws Exception {
        return Files.readAllLines(trace).stream().anyMatch(wanted.asMatchPredicate());
    }

    private static boolean copied(Path data) throws Exception {
        try (var files = Files.list(data.resolve("bookie/ledgers/current"))) {
            return files.anyMatch(file -> file.toString().endsWith(".kept"));
        }
    }

    private static boolean isThere() throws InterruptedException {
        try {
            return new ProcessBuilder("strace", "--version")
                            .redirectErrorStream(true)
                            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                            .start()
                            .waitFor()
                    == 0;
        } catch (java.io.IOException notInstalled) {
            return false;
        }
    }

    private static void produce(SluiceServer server) throws Exception {
        Map<String, Object> settings = Map.of(
                "bootstrap.servers", server.kafka(), "acks", "all", "linger.ms", "0", "max.request.size", 2 << 20);
        try (var producer = new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer())) {
            for (int n = 0; n < ONE_BY_ONE; n++) {
                producer.send(new ProducerRecord<>("t", 0, null, new byte[100])).get(30, TimeUnit.SECONDS);
            }
            List<Future<RecordMetadata>> sent = new ArrayList<>();
            for (int n = 0; n < MEBIBYTES; n++) {
                sent.add(producer.send(new ProducerRecord<>("t", 0, null, new byte[1 << 20])));
            }
            for (Future<RecordMetadata> each : sent) {
                each.get(60, TimeUnit.SECONDS);
            }
        }
    }
}
