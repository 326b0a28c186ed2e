package io.sluice.broker.topic;

import io.sluice.store.cluster.Metadata;
import java.io.IOException;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Changes of what is kept in the metadata store by topic name; those of one name that this process makes follow each other. One that finds
 * a record changed by another process begins anew. Any thread.
 */
public final class ChangesByName {
    private static final Logger LOG = LoggerFactory.getLogger(ChangesByName.class);
    /** Each costs that another process has changed the same topic in between. */
    private static final int ATTEMPTS = 10;

    private final Executor tasks;
    private final Consumer<TopicName> cutShort;
    private final Consumer<TopicName> freed;
    /** Only of names that are being changed, or wait for that. */
    private final Map<TopicName, Turns> turns = new ConcurrentHashMap<>();

    private static final class Turns {
        private final ReentrantLock lock = new ReentrantLock();
        /** Changed in {@code turns.compute} only. */
        private int users;

        private boolean wanted;
    }

    /**
     * @param tasks runs what blocks, each on a (virtual) thread of its own
     * @param cutShort told of a change that failed and may have been written in part
     * @param freed told of a name that {@link #tryLocked} found in a change, when it is in none
     */
    public ChangesByName(Executor tasks, Consumer<TopicName> cutShort, Consumer<TopicName> freed) {
        this.tasks = tasks;
        this.cutShort = cutShort;
        this.freed = freed;
    }

    /** Blocks. */
    public interface Change<T> {
        /** @throws Metadata.VersionMismatch another process was first: to be made again, of what is stored then */
        @Nullable
        T make() throws TopicException, IOException;
    }

    /** Blocks. */
    public interface Work<T, E extends Exception> {
        T run() throws E;
    }

    /** Blocks. */
    public interface Step<E extends Exception> {
        void run() throws E;
    }

    /** Makes the change on a thread of its own. The answer fails with a {@link TopicException} when it is refused. */
    public <T> CompletableFuture<T> make(TopicName name, Change<T> change) {
        CompletableFuture<T> result = new CompletableFuture<>();
        tasks.execute(() -> locked(name, () -> complete(result, name, change)));
        return result;
    }

    private <T> boolean complete(CompletableFuture<T> result, TopicName name, Change<T> change) {
        try {
            return result.complete(make(change));
        } catch (Metadata.VersionMismatch e) {
            cutShort.accept(name);
            return result.completeExceptionally(
                    TopicException.unavailable("another node changes " + name + " all the time: try again"));
        } catch (TopicException e) {
            return result.completeExceptionally(e);
        } catch (IOException e) {
            LOG.warn("The metadata store did not answer", e);
            cutShort.accept(name);
            return result.completeExceptionally(
                    TopicException.unavailable("the metadata store did not answer: " + e.getMessage()));
        } catch (RuntimeException e) {
            LOG.error("A change of {} failed", name, e);
            cutShort.accept(name);
            return result.completeExceptionally(e);
        }
    }

    private static <T> @Nullable T make(Change<T> change) throws TopicException, IOException {
        for (int attempt = 1; ; attempt++) {
            try {
                return change.make();
            } catch (Metadata.VersionMismatch e) {
                if (attempt == ATTEMPTS) {
                    throw e;
                }
                LOG.info("A change is made again: {}", e.getMessage());
            }
        }
    }

    /** Makes the change now; blocks. */
    public <T> @Nullable T makeNow(TopicName name, Change<T> change) throws TopicException, IOException {
        Turns its = enter(name);
        try {
            return change.make();
        } finally {
            leave(name, its);
        }
    }

    /** Does this now, with no change of the name under way; blocks. */
    public <T, E extends Exception> T locked(TopicName name, Work<T, E> work) throws E {
        Turns its = enter(name);
        try {
            return work.run();
        } finally {
            leave(name, its);
        }
    }

    /** Does this now, unless a change of the name is under way: then it gives false, and {@code freed} is told when there is none. */
    public <E extends Exception> boolean tryLocked(TopicName name, Step<E> step) throws E {
        Turns mine = new Turns();
        mine.users = 1;
        mine.lock.lock();
        Turns there = turns.merge(name, mine, (others, none) -> {
            others.wanted = true;
            return others;
        });
        if (there != mine) {
            return false;
        }
        try {
            step.run();
        } finally {
            leave(name, mine);
        }
        return true;
    }

    private Turns enter(TopicName name) {
        Turns its = turns.compute(name, (key, there) -> {
            Turns now = there == null ? new Turns() : there;
            now.users++;
            return now;
        });
        its.lock.lock();
        return its;
    }

    private void leave(TopicName name, Turns its) {
        its.lock.unlock();
        boolean[] isFree = new boolean[1];
        turns.compute(name, (key, there) -> {
            isFree[0] = --its.users == 0;
            return isFree[0] ? null : its;
        });
        if (isFree[0] && its.wanted) {
            freed.accept(name);
        }
    }
}
