package io.sluice.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.sluice.broker.entry.EntryFormat;
import io.sluice.broker.entry.EntryHeader;
import io.sluice.broker.log.AppendRejection;
import io.sluice.broker.log.AppendReply;
import io.sluice.broker.log.Entries;
import io.sluice.broker.log.EntriesReply;
import io.sluice.broker.log.PartitionLog;
import io.sluice.broker.topic.TopicName;
import io.sluice.server.config.MemoryBudget;
import io.sluice.server.config.ServerConfig;
import io.sluice.store.segment.LoopTask;
import io.sluice.store.segment.StoreFailure;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
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
            storage.broker()
                    .catalogue()
                    .create(TOPIC, 4, true, false, java.util.Map.of())
                    .get(10, TimeUnit.SECONDS);
            for (int partition = 0; partition < 4; partition++) {
                assertThat(appendAll(log(storage, partition))).hasSize(ENTRIES).isSorted();
            }
        }
        try (Storage storage = open()) {
            for (int partition = 0; partition < 4; partition++) {
                assertThat(readAll(log(storage, partition))).isEqualTo(ENTRIES);
            }
        }
    }

    private Storage open() throws StartException {
        return Storage.open(ServerConfig.defaults(), folder, new MemoryBudget(512 << 20));
    }

    private static PartitionLog log(Storage storage, int partition) {
        return Objects.requireNonNull(storage.broker().partitions().find(TOPIC, partition));
    }

    private static List<Long> appendAll(PartitionLog log) throws Exception {
        List<CompletableFuture<Long>> offsets = new ArrayList<>();
        for (int n = 0; n < ENTRIES; n++) {
            var offset = new CompletableFuture<Long>();
            offsets.add(offset);
            ByteBuf entry = entry();
            log.container()
                    .executeAppend(task(
                            offset,
                            () -> log.append(entry, new AppendReply() {
                                @Override
                                public void appended(long baseOffset, long lastOffset) {
                                    offset.complete(baseOffset);
                                }

                                @Override
                                public void duplicate(long baseOffset, long lastOffset) {
                                    offset.completeExceptionally(new AssertionError("duplicate"));
                                }

                                @Override
                                public void rejected(AppendRejection why) {
                                    offset.completeExceptionally(new AssertionError(why.message()));
                                }

                                @Override
                                public void failed(StoreFailure why) {
                                    offset.completeExceptionally(new AssertionError(why.message()));
                                }
                            })));
        }
        List<Long> result = new ArrayList<>();
        for (CompletableFuture<Long> offset : offsets) {
            result.add(offset.get(30, TimeUnit.SECONDS));
        }
        return result;
    }

    private static long readAll(PartitionLog log) throws Exception {
        long next = 0;
        while (true) {
            var read = new CompletableFuture<Long>();
            long from = next;
            log.container()
                    .execute(task(
                            read,
                            () -> log.read(from, 1 << 20, new EntriesReply() {
                                @Override
                                public void entries(Entries entries) {
                                    assertThat(EntryHeader.baseOffset(
                                                    entries.bytes(),
                                                    entries.bytes().readerIndex()))
                                            .isEqualTo(from);
                                    entries.bytes().release();
                                    read.complete(entries.nextOffset());
                                }

                                @Override
                                public void atEnd() {
                                    read.complete(-1L);
                                }

                                @Override
                                public void outOfRange(long startOffset, long endOffset) {
                                    read.completeExceptionally(new AssertionError(startOffset + ".." + endOffset));
                                }

                                @Override
                                public void failed(StoreFailure why) {
                                    read.completeExceptionally(new AssertionError(why.message()));
                                }
                            })));
            long result = read.get(30, TimeUnit.SECONDS);
            if (result < 0) {
                return next;
            }
            next = result;
        }
    }

    private static LoopTask task(CompletableFuture<?> result, Runnable run) {
        Consumer<StoreFailure> abandoned = why -> result.completeExceptionally(new AssertionError(why.message()));
        return new LoopTask() {
            @Override
            public void run() {
                run.run();
            }

            @Override
            public void abandoned(StoreFailure why) {
                abandoned.accept(why);
            }
        };
    }

    private static ByteBuf entry() {
        return Unpooled.directBuffer(EntryHeader.SIZE + BODY)
                .writeZero(EntryHeader.SIZE + BODY)
                .setInt(8, EntryHeader.SIZE + BODY - EntryHeader.LENGTH_OVERHEAD)
                .setByte(16, EntryFormat.KAFKA_V2)
                .setLong(43, EntryHeader.NO_PRODUCER)
                .setInt(57, 1);
    }
}
