package io.sluice.broker.topic;

import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Changes of what is kept in the metadata store by topic name; those of one name follow each other. Any thread. */
public final class ChangesByName {
    private static final Logger LOG = LoggerFactory.getLogger(ChangesByName.class);
    private static final int STRIPES = 64;

    private final Executor tasks;
    private final Consumer<TopicName> cutShort;
    private final ReentrantLock[] locks = new ReentrantLock[STRIPES];

    /**
     * @param tasks runs what blocks, each on a (virtual) thread of its own
     * @param cutShort told of a change that failed and may have been written in part
     */
    public ChangesByName(Executor tasks, Consumer<TopicName> cutShort) {
        this.tasks = tasks;
        this.cutShort = cutShort;
        for (int i = 0; i < STRIPES; i++) {
            locks[i] = new ReentrantLock();
        }
    }

    /** Blocks. */
    public interface Change<T> {
        @Nullable
        T make() throws TopicException, IOException;
    }

    /** Blocks. */
    public interface Work<T, E extends Exception> {
        T run() throws E;
    }

    /** Makes the change on a thread of its own. The answer fails with a {@link TopicException} when it is refused. */
    public <T> CompletableFuture<T> make(TopicName name, Change<T> change) {
        CompletableFuture<T> result = new CompletableFuture<>();
        tasks.execute(() -> locked(name, () -> complete(result, name, change)));
        return result;
    }

    private <T> boolean complete(CompletableFuture<T> result, TopicName name, Change<T> change) {
        try {
            return result.complete(change.make());
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

    /** Makes the change now; blocks. */
    public <T> @Nullable T makeNow(TopicName name, Change<T> change) throws TopicException, IOException {
        ReentrantLock lock = lock(name);
        lock.lock();
        try {
            return change.make();
        } finally {
            lock.unlock();
        }
    }

    private ReentrantLock lock(TopicName name) {
        return locks[Math.floorMod(name.hashCode(), STRIPES)];
    }

    /** Does this now, with no change of the name under way; blocks. */
    public <T, E extends Exception> T locked(TopicName name, Work<T, E> work) throws E {
        ReentrantLock lock = lock(name);
        lock.lock();
        try {
            return work.run();
        } finally {
            lock.unlock();
        }
    }
}
