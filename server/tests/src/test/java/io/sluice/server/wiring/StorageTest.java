package io.sluice.server.wiring;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.sluice.broker.log.PartitionLog;
import io.sluice.broker.topic.TopicName;
import io.sluice.server.config.ConfigFile;
import io.sluice.server.config.MemoryBudget;
import io.sluice.server.config.ServerConfig;
import io.sluice.server.containers.PartitionCalls;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

/** The storage as the server wires it: bookie, metadata, tier, containers, broker. */
class StorageTest {
    private static final TopicName TOPIC = TopicName.ofDefault("storage");
    private static final int ENTRIES = 200;
    private static final int BODY = 10_000;

    @TempDir
    private Path folder;

    @Test
    void whatWasAppendedIsThereAfterARestart() throws Exception {
        try (Storage storage = open()) {
            storage.broker().catalogue().create(TOPIC, 4, true, false, Map.of()).get(30, TimeUnit.SECONDS);
            for (int partition = 0; partition < 4; partition++) {
                assertThat(appendAll(log(storage, partition))).hasSize(ENTRIES).isSorted();
            }
        }
        try (Storage storage = open()) {
            for (int partition = 0; partition < 4; partition++) {
                assertThat(PartitionCalls.readAll(log(storage, partition)))
                        .isEqualTo(LongStream.range(0, ENTRIES).boxed().toList());
            }
        }
    }

    /** A quarter of the memory, while the tier was down: there is more to cache than the cache takes. */
    @Test
    void aRestartWithLessMemoryServesTheSame() throws Exception {
        int entries = 150;
        Path tier = folder.resolve("tier");
        try (Storage storage = open(2L << 30)) {
            storage.broker().catalogue().create(TOPIC, 1, true, false, Map.of()).get(30, TimeUnit.SECONDS);
            Files.move(tier, folder.resolve("away"));
            Files.createFile(tier);
            List<CompletableFuture<Long>> offsets = new ArrayList<>();
            for (int n = 0; n < entries; n++) {
                offsets.add(PartitionCalls.append(log(storage, 0), n, 1 << 20));
            }
            for (CompletableFuture<Long> offset : offsets) {
                offset.get(60, TimeUnit.SECONDS);
            }
        }
        Files.delete(tier);
        Files.move(folder.resolve("away"), tier);
        try (Storage storage = open(512L << 20)) {
            assertThat(storage.containers().served()).anyMatch(each -> each.term() > 2);
            assertThat(PartitionCalls.readAll(log(storage, 0)))
                    .isEqualTo(LongStream.range(0, entries).boxed().toList());
        }
    }

    /**
     * The bookie keeps as much journal as the store's containers may need. With room for fewer it would copy ledgers that are alive
     * out of the journal, again and again.
     */
    @Test
    void theStoreSaysHowManyContainersItHas() throws Exception {
        String logs = "walLimitBytes: 41943040, ledgerBytes: 4194304";
        Path tier = folder.resolve("tier");
        try (Storage storage = open("store: {containers: 16, " + logs + "}")) {
            storage.broker()
                    .catalogue()
                    .create(TOPIC, 16, true, false, Map.of())
                    .get(30, TimeUnit.SECONDS);
            Files.move(tier, folder.resolve("away"));
            Files.createFile(tier);
            List<CompletableFuture<Long>> offsets = new ArrayList<>();
            for (int n = 0; n < 16 * 12; n++) {
                offsets.add(PartitionCalls.append(log(storage, n % 16), n, 1 << 20));
            }
            for (CompletableFuture<Long> offset : offsets) {
                offset.get(60, TimeUnit.SECONDS);
            }
        }
        Files.delete(tier);
        Files.move(folder.resolve("away"), tier);
        try (Storage storage = open("store: {" + logs + "}")) {
            assertThat(storage.containers().all()).hasSize(16);
        }
        try (Stream<Path> files = Files.list(folder.resolve("bookie/ledgers/current"))) {
            assertThat(files).noneMatch(file -> file.toString().endsWith(".kept"));
        }
    }

    @Test
    void anotherNumberOfContainersIsWarnedOfInOneLine() throws Exception {
        try (Storage storage = open("store: {containers: 3}")) {
            assertThat(storage.containers().all()).hasSize(3);
        }
        assertThat(warningsOf(() -> open("").close())).isEmpty();
        assertThat(warningsOf(() -> open("store: {containers: 3}").close())).isEmpty();
        assertThat(warningsOf(() -> {
                    try (Storage storage = open("store: {containers: 2}")) {
                        assertThat(storage.containers().all()).hasSize(3);
                    }
                }))
                .containsExactly("store.containers is 2 in the settings, but this store was made with 3 and keeps them:"
                        + " take the setting out, or give 3");
    }

    private interface Step {
        void run() throws Exception;
    }

    private static List<String> warningsOf(Step step) throws Exception {
        var said = new ListAppender<ILoggingEvent>();
        said.start();
        Logger logger = (Logger) LoggerFactory.getLogger(Storage.class);
        logger.addAppender(said);
        try {
            step.run();
        } finally {
            logger.detachAppender(said);
        }
        return said.list.stream().map(ILoggingEvent::getFormattedMessage).toList();
    }

    private Storage open() throws StartException {
        return open(512L << 20);
    }

    private Storage open(long memory) throws StartException {
        return Storage.open(ServerConfig.defaults(), folder, new MemoryBudget(memory));
    }

    private Storage open(String settings) throws StartException {
        return Storage.open(ConfigFile.parse(settings, "test"), folder, new MemoryBudget(2L << 30));
    }

    private static PartitionLog log(Storage storage, int partition) {
        return Objects.requireNonNull(storage.broker().partitions().find(TOPIC, partition));
    }

    private static List<Long> appendAll(PartitionLog log) throws Exception {
        List<CompletableFuture<Long>> offsets = new ArrayList<>();
        for (int n = 0; n < ENTRIES; n++) {
            offsets.add(PartitionCalls.append(log, n, BODY));
        }
        List<Long> result = new ArrayList<>();
        for (CompletableFuture<Long> offset : offsets) {
            result.add(offset.get(30, TimeUnit.SECONDS));
        }
        return result;
    }
}
