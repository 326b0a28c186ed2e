package io.sluice.broker.topic;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.sluice.broker.topic.TopicException.Reason;
import io.sluice.store.cluster.Metadata;
import java.io.IOException;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * Levels of durability of namespaces, which topics have that have none of their own. Loaded with the catalogue, before anything is
 * placed: a level that is not known yet would send partitions away. Records are {@code /sluice/durability/<tenant>/<namespace>}, a digit.
 */
public final class NamespaceDurability implements AutoCloseable {
    private static final String ROOT = "/sluice/durability";

    private final Metadata metadata;
    private final Executor tasks;
    private final Runnable changed;
    private final Homes homes;
    private final RecordWatch<String> watch;
    /** By path; only where one was set. */
    private final Map<String, Integer> levels = new ConcurrentHashMap<>();

    /** Moves partitions where levels want them. */
    interface Homes {
        /**
         * Moves the partitions of all topics of the namespace, whatever comes of one; blocks.
         *
         * @throws CompletionException why the first that could not be moved was not
         */
        void bringHome(String tenant, String namespace);
    }

    /** @param changed a level is another now */
    NamespaceDurability(Metadata metadata, Executor tasks, Runnable changed, Homes homes) {
        this.metadata = metadata;
        this.tasks = tasks;
        this.changed = changed;
        this.homes = homes;
        this.watch = new RecordWatch<>(metadata, ROOT, NamespaceDurability::record, tasks, this::read, this::paths);
    }

    /** Some metadata stores have a record of its own for what is above the namespaces. */
    private static @Nullable String record(String path) {
        return path.substring(ROOT.length() + 1).chars().filter(c -> c == '/').count() == 1 ? path : null;
    }

    /** Blocks. */
    void load() throws IOException {
        for (String path : paths()) {
            read(path);
        }
        watch.start();
    }

    /** Hears of no more changes. */
    @Override
    public void close() {
        watch.close();
    }

    private Set<String> paths() throws IOException {
        Set<String> paths = new HashSet<>(levels.keySet());
        for (String tenant : metadata.children(ROOT)) {
            for (String namespace : metadata.children(ROOT + '/' + tenant)) {
                paths.add(ROOT + '/' + tenant + '/' + namespace);
            }
        }
        return paths;
    }

    private synchronized boolean read(String path) throws IOException {
        Metadata.Versioned there = metadata.get(path);
        show(path, there == null ? null : decode(path, there.value()));
        return true;
    }

    private static int decode(String path, byte[] value) throws IOException {
        String level = new String(value, US_ASCII);
        if (!Topic.isDurability(level)) {
            throw new IOException(path + " is '" + level + "', which is no level of durability");
        }
        return Integer.parseInt(level);
    }

    private void show(String path, @Nullable Integer level) {
        Integer before = level == null ? levels.remove(path) : levels.put(path, level);
        if (before == null ? level != null : !before.equals(level)) {
            changed.run();
        }
    }

    /** Level of the topic's namespace, 1 to 4; null where none was set. Any thread. */
    public @Nullable Integer of(TopicName topic) {
        return of(topic.tenant(), topic.namespace());
    }

    /** As {@link #of(TopicName)}. */
    public @Nullable Integer of(String tenant, String namespace) {
        return levels.isEmpty() ? null : levels.get(TopicPath.ofNamespace(ROOT, tenant, namespace));
    }

    /**
     * Sets a namespace's level. Complete when the partitions of all its topics are where that wants them. Fails with a {@link TopicException}
     * when it is refused, or when some cannot be moved now: the level is kept then, and moving them is tried again until it is done.
     *
     * @param level 1 to 4; null for the server's
     */
    public CompletableFuture<Void> set(String tenant, String namespace, @Nullable Integer level) {
        if (level != null && !Topic.isDurability(level.toString())) {
            return CompletableFuture.failedFuture(new TopicException(
                    Reason.INVALID_SETTING, "a level of durability is 1 to " + Topic.LEAST_DURABLE + ", not " + level));
        }
        CompletableFuture<Void> done = new CompletableFuture<>();
        tasks.execute(() -> {
            try {
                store(TopicPath.ofNamespace(ROOT, tenant, namespace), level);
                homes.bringHome(tenant, namespace);
                done.complete(null);
            } catch (IOException e) {
                done.completeExceptionally(
                        TopicException.unavailable("the metadata store did not answer: " + e.getMessage()));
            } catch (CompletionException e) {
                done.completeExceptionally(e.getCause() == null ? e : e.getCause());
            } catch (RuntimeException e) {
                done.completeExceptionally(e);
            }
        });
        return done;
    }

    private synchronized void store(String path, @Nullable Integer level) throws IOException {
        if (level == null) {
            metadata.deleteLast(path);
        } else {
            metadata.putLast(path, level.toString().getBytes(US_ASCII));
        }
        show(path, level);
    }
}
