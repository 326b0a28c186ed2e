package io.sluice.broker.topic;

import java.io.IOException;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Reads of topics from the store, one at a time for each name; those who come meanwhile get the next one together. Any thread. */
final class SharedReads {
    /** Names at a time. */
    static final int MOST = 1_000;

    private final Executor tasks;
    private final Reading reading;
    private final Function<TopicName, @Nullable Topic> shown;
    private final Map<TopicName, Waiting> byName = new ConcurrentHashMap<>();

    /** Reads one topic, blocking. */
    interface Reading {
        @Nullable
        Topic read(TopicName name) throws IOException;
    }

    /** @param next for those who came after the read under way had begun, and may not see in it what they have heard of */
    private record Waiting(
            CompletableFuture<@Nullable Topic> now,
            @Nullable CompletableFuture<@Nullable Topic> next) {}

    /**
     * @param tasks runs what blocks, each on a (virtual) thread of its own
     * @param shown answers when too many names are asked for
     */
    SharedReads(Executor tasks, Reading reading, Function<TopicName, @Nullable Topic> shown) {
        this.tasks = tasks;
        this.reading = reading;
        this.shown = shown;
    }

    CompletableFuture<@Nullable Topic> of(TopicName name) {
        if (byName.size() >= MOST) {
            return CompletableFuture.completedFuture(shown.apply(name));
        }
        CompletableFuture<@Nullable Topic> mine = new CompletableFuture<>();
        Waiting waiting = byName.merge(
                name,
                new Waiting(mine, null),
                (there, none) -> there.next() == null ? new Waiting(there.now(), mine) : there);
        if (waiting.now() == mine) {
            tasks.execute(() -> read(name, mine));
            return mine;
        }
        CompletableFuture<@Nullable Topic> next = waiting.next();
        return next == null ? mine : next;
    }

    private void read(TopicName name, CompletableFuture<@Nullable Topic> first) {
        for (CompletableFuture<@Nullable Topic> now = first; now != null; now = goOn(name)) {
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

    private @Nullable CompletableFuture<@Nullable Topic> goOn(TopicName name) {
        Waiting then = byName.computeIfPresent(
                name, (key, there) -> there.next() == null ? null : new Waiting(there.next(), null));
        return then == null ? null : then.now();
    }
}
