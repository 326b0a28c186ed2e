package io.sluice.tiering.objectstore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

final class PacedObjectStoreTest {
    private static final int BYTES = 100_000;

    private final FakeObjectStore inner = new FakeObjectStore();

    @Test
    void putsTakeTheTimeTheLimitGives() throws Exception {
        ObjectStore store = PacedObjectStore.limit(inner, 1_000_000);
        long start = System.nanoTime();
        List<CompletableFuture<Void>> puts = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            puts.add(put(store, "o" + i));
        }
        for (CompletableFuture<Void> each : puts) {
            each.get(30, TimeUnit.SECONDS);
        }
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThanOrEqualTo(Duration.ofMillis(499));
        assertThat(store.list("", "", 10)).hasSize(6);
    }

    @Test
    void nothingButPutsWaits() throws Exception {
        ObjectStore store = PacedObjectStore.limit(inner, 1_000);
        put(store, "a").get(30, TimeUnit.SECONDS);
        CompletableFuture<Void> waits = put(store, "b");
        assertThat(store.size("a")).isEqualTo(BYTES);
        store.delete(List.of("a"));
        assertThat(store.list("", "", 10)).isEmpty();
        assertThat(waits).isNotDone();
        store.close();
    }

    @Test
    void closingEndsTheWait() throws Exception {
        ObjectStore store = PacedObjectStore.limit(inner, 1_000);
        put(store, "a").get(30, TimeUnit.SECONDS);
        CompletableFuture<Void> waits = put(store, "b");
        store.close();
        assertThatThrownBy(() -> waits.get(30, TimeUnit.SECONDS))
                .isInstanceOf(ExecutionException.class)
                .hasRootCauseInstanceOf(ObjectStoreException.Unavailable.class);
        assertThat(inner.list("", "", 10)).hasSize(1);
    }

    @Test
    void withoutALimitThereIsNoPacer() {
        assertThat(PacedObjectStore.limit(inner, 0)).isSameAs(inner);
    }

    private static CompletableFuture<Void> put(ObjectStore store, String name) {
        CompletableFuture<Void> done = new CompletableFuture<>();
        Executors.newVirtualThreadPerTaskExecutor().execute(() -> {
            ByteBuf content = Unpooled.wrappedBuffer(new byte[BYTES]);
            try {
                store.put(name, content);
                done.complete(null);
            } catch (ObjectStoreException | RuntimeException e) {
                done.completeExceptionally(e);
            }
        });
        return done;
    }
}
