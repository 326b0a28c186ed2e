package io.sluice.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.broker.log.PartitionLog;
import io.sluice.broker.topic.TopicName;
import io.sluice.server.config.MemoryBudget;
import io.sluice.server.config.ServerConfig;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

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
            storage.broker().catalogue().create(TOPIC, 4, true, false, Map.of()).get(10, TimeUnit.SECONDS);
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
            storage.broker().catalogue().create(TOPIC, 1, true, false, Map.of()).get(10, TimeUnit.SECONDS);
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

    private Storage open() throws StartException {
        return open(512L << 20);
    }

    private Storage open(long memory) throws StartException {
        return Storage.open(ServerConfig.defaults(), folder, new MemoryBudget(memory));
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
