package io.sluice.broker.topic;

import java.io.IOException;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Reads of topics from the store, one at a time for each name; those who come meanwhile get the next one together. Any thread.
 *
 * @param <V> topics
 */
public final class SharedReads<V> {
    /** Names at a time. */
    static final int MOST = 1_000;

    private final Executor tasks;
    private final Reading<V> reading;
    private final Function<TopicName, @Nullable V> shown;
    private final Map<TopicName, Waiting<V>> byName = new ConcurrentHashMap<>();

    /** Reads one topic, blocking. */
    public interface Reading<V> {
        @Nullable
        V read(TopicName name) throws IOException;
    }

    /** @param next for those who came after the read under way had begun, and may not see in it what they have heard of */
    private record Waiting<V>(
            CompletableFuture<@Nullable V> now, @Nullable CompletableFuture<@Nullable V> next) {}

    /**
     * @param tasks runs what blocks, each on a (virtual) thread of its own
     * @param shown answers when too many names are asked for
     */
    public SharedReads(Executor tasks, Reading<V> reading, Function<TopicName, @Nullable V> shown) {
        this.tasks = tasks;
        this.reading = reading;
        this.shown = shown;
    }

    /** Fails with a {@link TopicException} UNAVAILABLE where the store does not answer. */
    public CompletableFuture<@Nullable V> of(TopicName name) {
        if (byName.size() >= MOST) {
            return CompletableFuture.completedFuture(shown.apply(name));
        }
        CompletableFuture<@Nullable V> mine = new CompletableFuture<>();
        Waiting<V> waiting = byName.merge(
                name,
                new Waiting<>(mine, null),
                (there, none) -> there.next() == null ? new Waiting<>(there.now(), mine) : there);
        if (waiting.now() == mine) {
            tasks.execute(() -> read(name, mine));
            return mine;
        }
        CompletableFuture<@Nullable V> next = waiting.next();
        return next == null ? mine : next;
    }

    private void read(TopicName name, CompletableFuture<@Nullable V> first) {
        for (CompletableFuture<@Nullable V> now = first; now != null; now = goOn(name)) {
            try {
                now.complete(reading.read(name));
            } catch (IOException e) {
                now.completeExceptionally(
                        TopicException.unavailable("the metadata store did not answer: " + e.getMessage()));
            } catch (RuntimeException e) {
                now.completeExceptionally(e);
            }
        }
    }

    private @Nullable CompletableFuture<@Nullable V> goOn(TopicName name) {
        Waiting<V> then = byName.computeIfPresent(
                name, (key, there) -> there.next() == null ? null : new Waiting<>(there.next(), null));
        return then == null ? null : then.now();
    }
}
