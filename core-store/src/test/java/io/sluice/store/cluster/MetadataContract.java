package io.sluice.store.cluster;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** What every metadata store must do. One subclass per implementation, the in-memory one included. */
public abstract class MetadataContract {
    /** The store of this test, empty when the test begins. */
    protected abstract Metadata metadata();

    @Test
    void whatWasNeverWrittenIsNull() throws IOException {
        assertThat(metadata().get("/a/b")).isNull();
        assertThat(metadata().children("/a")).isEmpty();
    }

    @Test
    void readsBackWhatWasWrittenWithItsVersion() throws IOException {
        long first = metadata().put("/a/b", bytes("one"), Metadata.ABSENT);
        assertThat(value("/a/b")).isEqualTo("one");
        assertThat(stored("/a/b").version()).isEqualTo(first);
        long second = metadata().put("/a/b", bytes("two"), first);
        assertThat(second).isNotEqualTo(first);
        assertThat(value("/a/b")).isEqualTo("two");
        assertThat(stored("/a/b").version()).isEqualTo(second);
    }

    @Test
    void aStaleVersionWritesNothing() throws IOException {
        long first = metadata().put("/a", bytes("one"), Metadata.ABSENT);
        metadata().put("/a", bytes("two"), first);
        assertThatThrownBy(() -> metadata().put("/a", bytes("three"), first))
                .isInstanceOf(Metadata.VersionMismatch.class);
        assertThatThrownBy(() -> metadata().put("/a", bytes("three"), Metadata.ABSENT))
                .isInstanceOf(Metadata.VersionMismatch.class);
        assertThatThrownBy(() -> metadata().put("/none", bytes("three"), first))
                .isInstanceOf(Metadata.VersionMismatch.class);
        assertThat(value("/a")).isEqualTo("two");
        assertThat(metadata().get("/none")).isNull();
    }

    @Test
    void deletesTheExpectedVersionOnlyAndTwiceIsFine() throws IOException {
        long first = metadata().put("/a", bytes("one"), Metadata.ABSENT);
        long second = metadata().put("/a", bytes("two"), first);
        assertThatThrownBy(() -> metadata().delete("/a", first)).isInstanceOf(Metadata.VersionMismatch.class);
        assertThat(value("/a")).isEqualTo("two");
        metadata().delete("/a", second);
        metadata().delete("/a", second);
        assertThat(metadata().get("/a")).isNull();
        metadata().put("/a", bytes("three"), Metadata.ABSENT);
        assertThat(value("/a")).isEqualTo("three");
    }

    @Test
    void listsDirectChildrenSorted() throws IOException {
        for (String path : List.of("/s/c/x", "/s/a", "/s/b/y/z", "/s/b", "/s-other", "/s/b/w")) {
            metadata().put(path, bytes("."), Metadata.ABSENT);
        }
        assertThat(metadata().children("/s")).containsExactly("a", "b", "c");
        assertThat(metadata().children("/s/b")).containsExactly("w", "y");
        metadata().put("/s/d", bytes("."), Metadata.ABSENT);
        metadata().delete("/s/a", stored("/s/a").version());
        assertThat(metadata().children("/s")).containsExactly("b", "c", "d");
    }

    @Test
    void valuesMayBeLarge() throws IOException {
        byte[] large = new byte[100_000];
        large[99_999] = 7;
        metadata().put("/large", large, Metadata.ABSENT);
        assertThat(stored("/large").value()).isEqualTo(large);
    }

    @Test
    void everyIncrementOfManyWritersCounts() throws Exception {
        int writers = 4;
        int each = 25;
        metadata().put("/n", bytes("0"), Metadata.ABSENT);
        List<Future<?>> running = new ArrayList<>();
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int i = 0; i < writers; i++) {
                running.add(threads.submit(() -> {
                    for (int n = 0; n < each; n++) {
                        increment();
                    }
                    return null;
                }));
            }
        }
        for (Future<?> writer : running) {
            writer.get();
        }
        assertThat(value("/n")).isEqualTo(Integer.toString(writers * each));
    }

    @Test
    void watchersHearOfEveryChangeBelowTheirRoot() throws Exception {
        var heard = new LinkedBlockingQueue<String>();
        Metadata.Watch watch = metadata().watch("/w/topics", told(heard));
        long first = metadata().put("/w/topics/a/b", bytes("one"), Metadata.ABSENT);
        awaitTold(heard, "/w/topics/a/b");
        assertThat(value("/w/topics/a/b")).isEqualTo("one");
        metadata().put("/w/topics-other", bytes("."), Metadata.ABSENT);
        metadata().put("/w/topics", bytes("."), Metadata.ABSENT);
        metadata().put("/w/topics/d", bytes("."), Metadata.ABSENT);
        awaitTold(heard, "/w/topics/d");
        long second = metadata().put("/w/topics/a/b", bytes("two"), first);
        awaitTold(heard, "/w/topics/a/b");
        metadata().put("/w/topics/e", bytes("."), Metadata.ABSENT);
        awaitTold(heard, "/w/topics/e");
        metadata().delete("/w/topics/a/b", second);
        awaitTold(heard, "/w/topics/a/b");
        var later = new LinkedBlockingQueue<String>();
        watch.close();
        metadata().watch("/w/topics", told(later));
        metadata().put("/w/topics/c", bytes("."), Metadata.ABSENT);
        awaitTold(later, "/w/topics/c");
        assertThat(heard).doesNotContain("/w/topics/c");
    }

    /** What is told may be told again, and ZooKeeper tells of the paths that lead to a record, too; but all is below the root. */
    private static void awaitTold(BlockingQueue<String> heard, String path) throws InterruptedException {
        String next;
        do {
            next = heard.poll(30, TimeUnit.SECONDS);
            assertThat(next).as("told of " + path).startsWith("/w/topics/");
        } while (!path.equals(next));
    }

    private static Metadata.Watcher told(BlockingQueue<String> heard) {
        return new Metadata.Watcher() {
            @Override
            public void changed(String path) {
                heard.add(path);
            }

            @Override
            public void missed() {
                heard.add("missed");
            }
        };
    }

    private void increment() throws IOException {
        while (true) {
            Metadata.Versioned now = stored("/n");
            int next = Integer.parseInt(new String(now.value(), UTF_8)) + 1;
            try {
                metadata().put("/n", bytes(Integer.toString(next)), now.version());
                return;
            } catch (Metadata.VersionMismatch anotherWriterWasFirst) {
                continue;
            }
        }
    }

    private Metadata.Versioned stored(String path) throws IOException {
        return Objects.requireNonNull(metadata().get(path), path);
    }

    private String value(String path) throws IOException {
        return new String(stored(path).value(), UTF_8);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(UTF_8);
    }
}
