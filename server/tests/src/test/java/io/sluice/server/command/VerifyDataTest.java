package io.sluice.server.command;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.sluice.bookie.journal.JournalFormat;
import io.sluice.broker.log.PartitionLog;
import io.sluice.broker.topic.TopicName;
import io.sluice.server.Main;
import io.sluice.server.config.ConfigFile;
import io.sluice.server.config.MemoryBudget;
import io.sluice.server.containers.PartitionCalls;
import io.sluice.server.wiring.DataFolder;
import io.sluice.server.wiring.StartException;
import io.sluice.server.wiring.Storage;
import io.sluice.store.cluster.Metadata;
import io.sluice.store.cluster.PulsarMetadata;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code sluice verify-data} on a folder that a server wrote: nothing to say of a sound one, and the place of any damage. */
class VerifyDataTest {
    private static final TopicName TOPIC = TopicName.ofDefault("verify");
    private static final String SETTINGS = "store: {containers: 1, ledgerBytes: 1048576, walLimitBytes: 8388608}";
    private static final int ENTRIES = 160;
    private static final int BODY = 200_000;

    @TempDir
    private Path temporary;

    private Path folder = Path.of("");

    private record Outcome(int code, String text) {}

    @BeforeEach
    void fill() throws Exception {
        folder = temporary.resolve("data");
        try (Storage storage = open()) {
            storage.broker().catalogue().create(TOPIC, 2, true, false, Map.of()).get(30, TimeUnit.SECONDS);
            List<CompletableFuture<Long>> offsets = new ArrayList<>();
            for (int n = 0; n < ENTRIES; n++) {
                PartitionLog log =
                        Objects.requireNonNull(storage.broker().partitions().find(TOPIC, n % 2));
                offsets.add(PartitionCalls.append(log, n, BODY));
            }
            for (CompletableFuture<Long> offset : offsets) {
                offset.get(60, TimeUnit.SECONDS);
            }
            // what is being uploaded is renamed while the folder is walked
            await().atMost(Duration.ofSeconds(30))
                    .ignoreException(UncheckedIOException.class)
                    .until(() -> objects().size() > 1);
            // so little that it stays in the log
            for (int n = 0; n < 8; n++) {
                PartitionCalls.append(
                                Objects.requireNonNull(
                                        storage.broker().partitions().find(TOPIC, 0)),
                                ENTRIES + n,
                                BODY)
                        .get(30, TimeUnit.SECONDS);
            }
        }
    }

    private Storage open() throws StartException {
        return Storage.open(ConfigFile.parse(SETTINGS, "test"), folder, new MemoryBudget(512L << 20));
    }

    private Outcome verify(String... more) {
        StringWriter text = new StringWriter();
        var line = Main.commandLine().setOut(new PrintWriter(text)).setErr(new PrintWriter(text, true));
        List<String> arguments = new ArrayList<>(List.of("verify-data", "--data", folder.toString()));
        arguments.addAll(List.of(more));
        return new Outcome(line.execute(arguments.toArray(String[]::new)), text.toString());
    }

    private void expectFindings(String... parts) {
        Outcome outcome = verify();
        assertThat(outcome.code()).as(outcome.text()).isEqualTo(1);
        assertThat(outcome.text()).contains("finding").contains(parts);
    }

    private List<Path> objects() throws IOException {
        try (Stream<Path> files = Files.walk(folder.resolve("tier"))) {
            return files.filter(file -> file.getFileName().toString().matches("[0-9a-f]{16}"))
                    .sorted()
                    .toList();
        }
    }

    private Path journal() {
        return folder.resolve("bookie/journal/current");
    }

    @Test
    void aSoundFolderHasNoFindingsAndStaysAsItIs() throws Exception {
        List<String> before = contents();
        for (String[] how : new String[][] {{}, {"--quick"}}) {
            Outcome outcome = verify(how);
            assertThat(outcome.text())
                    .contains("No findings", "Container 0: term 1, ", " objects, ", "1 topics")
                    .doesNotContain("never opened");
            assertThat(outcome.code()).isZero();
        }
        assertThat(contents()).isEqualTo(before);
        open().close();
        assertThat(verify().text()).contains("No findings", "term 2");
    }

    private List<String> contents() throws IOException {
        List<String> all = new ArrayList<>();
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.filter(Files::isRegularFile)
                    .filter(file -> !file.endsWith("sluice.lock"))
                    .sorted()
                    .toList()) {
                all.add(file + " " + Files.getLastModifiedTime(file) + " " + Files.size(file));
            }
        }
        return all;
    }

    @Test
    void damageInTheTierIsFoundWithItsPlace() throws Exception {
        Path object = objects().getFirst();
        byte[] content = Files.readAllBytes(object);
        content[70_000] ^= 4;
        Files.write(object, content);
        expectFindings("container 0, segment ", object.getFileName().toString(), "byte 65540", "checksum");
        assertThat(verify("--quick").code()).isZero();

        Files.write(object, java.util.Arrays.copyOf(content, content.length / 2));
        assertThat(verify("--quick").text()).contains("has " + content.length / 2 + " bytes, the range ends at ");
        Files.delete(object);
        assertThat(verify("--quick").text()).contains(object.getFileName() + " is missing");
    }

    @Test
    void damageInTheLogIsFoundWithItsPlaceAndRefusesAStart() throws Exception {
        Path file = JournalFormat.files(journal()).getLast();
        byte[] content = Files.readAllBytes(file);
        int written = content.length;
        while (content[written - 1] == 0) {
            written--;
        }
        byte[] damaged = content.clone();
        damaged[written - 100_000] ^= 1;
        Files.write(file, damaged);
        expectFindings("journal file " + file + ", byte ", "fails its checksum", "was acknowledged and is not there");
        assertThatThrownBy(this::open)
                .isInstanceOf(StartException.class)
                .hasMessageContaining(file + " is damaged at byte ")
                .message()
                .doesNotContain("\n");

        // as an older file's, whose entries a start does not read
        Files.write(file, content);
        open().close();
        open().close();
        Files.write(file, damaged);
        expectFindings("journal file " + file + ", byte ", "container 0, ledger ");
        assertThatThrownBy(this::open)
                .isInstanceOf(StartException.class)
                .hasMessageContaining("container 0 cannot be recovered: ")
                .hasMessageContaining("verify-data")
                .message()
                .doesNotContain("\n");
    }

    @Test
    void damageInTheMetadataIsFoundWithItsPlace() throws Exception {
        try (PulsarMetadata metadata =
                PulsarMetadata.open("rocksdb:" + folder.resolve("metadata"), Duration.ofSeconds(10))) {
            for (String path : List.of("/sluice/containers/0/lease", "/sluice/ids/segments", topicPath(metadata))) {
                Metadata.Versioned stored = metadata.get(path);
                long version = stored == null ? Metadata.ABSENT : stored.version();
                metadata.put(path, "nonsense, and more".getBytes(UTF_8), version);
            }
        }
        expectFindings(
                "metadata, record /sluice/containers/0/lease: not a lease",
                "metadata, record /sluice/ids/segments: a counter of 18 bytes",
                "not a topic's record");
        try (PulsarMetadata metadata =
                PulsarMetadata.open("rocksdb:" + folder.resolve("metadata"), Duration.ofSeconds(10))) {
            String path = "/sluice/containers/0/log";
            Metadata.Versioned stored = Objects.requireNonNull(metadata.get(path));
            metadata.put(path, new byte[] {9}, stored.version());
        }
        expectFindings("metadata, container 0: ledger chain has version 9");
    }

    private static String topicPath(Metadata metadata) throws IOException {
        String parent = "/sluice/topics/public/default";
        return parent + "/" + metadata.children(parent).getFirst();
    }

    @Test
    void aLedgerWithoutItsFileIsFound() throws Exception {
        Files.delete(JournalFormat.files(journal()).getLast());
        expectFindings("container 0, ledger ", "is not there");
    }

    @Test
    void aFolderInUseOrOfNoServerIsRefused() throws Exception {
        try (DataFolder server = DataFolder.open(folder, 0)) {
            assertThat(server.root()).isEqualTo(folder);
            assertThat(verify()).satisfies(outcome -> {
                assertThat(outcome.code()).isEqualTo(1);
                assertThat(outcome.text()).contains("in use by another server").hasLineCount(1);
            });
        }
        try (Stream<Path> all = Files.walk(folder.resolve("metadata"))) {
            for (Path file : all.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
        assertThat(verify().text()).contains("no server has used").hasLineCount(1);
    }
}
