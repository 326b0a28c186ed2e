package io.sluice.broker.topic;

import java.io.IOException;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Reads from the metadata store, one at a time for each key; those who come meanwhile get the next one together. Any thread.
 *
 * @param <K> topics' names, for example
 * @param <V> topics, for example
 */
public final class SharedReads<K, V> {
    /** Keys at a time. */
    static final int MOST = 1_000;

    private final Executor tasks;
    private final Reading<K, V> reading;
    private final Function<K, @Nullable V> shown;
    private final Map<K, Waiting<V>> byName = new ConcurrentHashMap<>();

    /** Reads one, blocking. */
    public interface Reading<K, V> {
        @Nullable
        V read(K key) throws IOException;
    }

    /** @param next for those who came after the read under way had begun, and may not see in it what they have heard of */
    private record Waiting<V>(
            CompletableFuture<@Nullable V> now, @Nullable CompletableFuture<@Nullable V> next) {}

    /**
     * @param tasks runs what blocks, each on a (virtual) thread of its own
     * @param shown answers when too many keys are asked for
     */
    public SharedReads(Executor tasks, Reading<K, V> reading, Function<K, @Nullable V> shown) {
        this.tasks = tasks;
        this.reading = reading;
        this.shown = shown;
    }

    /** Fails with a {@link TopicException} UNAVAILABLE where the store does not answer. */
    public CompletableFuture<@Nullable V> of(K key) {
        if (byName.size() >= MOST) {
            return CompletableFuture.completedFuture(shown.apply(key));
        }
        CompletableFuture<@Nullable V> mine = new CompletableFuture<>();
        Waiting<V> waiting = byName.merge(
                key,
                new Waiting<>(mine, null),
                (there, none) -> there.next() == null ? new Waiting<>(there.now(), mine) : there);
        if (waiting.now() == mine) {
            tasks.execute(() -> read(key, mine));
            return mine;
        }
        CompletableFuture<@Nullable V> next = waiting.next();
        return next == null ? mine : next;
    }

    private void read(K key, CompletableFuture<@Nullable V> first) {
        for (CompletableFuture<@Nullable V> now = first; now != null; now = goOn(key)) {
            try {
                now.complete(reading.read(key));
            } catch (IOException e) {
                now.completeExceptionally(
                        TopicException.unavailable("the metadata store did not answer: " + e.getMessage()));
            } catch (RuntimeException e) {
                now.completeExceptionally(e);
            }
        }
    }

    private @Nullable CompletableFuture<@Nullable V> goOn(K key) {
        Waiting<V> then = byName.computeIfPresent(
                key, (same, there) -> there.next() == null ? null : new Waiting<>(there.next(), null));
        return then == null ? null : then.now();
    }
}
