package io.sluice.server.containers;

import io.sluice.broker.topic.TopicDurability;
import io.sluice.broker.topic.TopicException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Makes the first containers of a level of durability when a topic wants it. Any thread; blocks. */
public final class ContainersOnDemand implements TopicDurability.Supply {
    private static final long READY_SECONDS = 30;

    private final int atFirst;
    /** The catalogue is there first: what the number is changed by asks it for its partitions. */
    private final CompletableFuture<ContainerCount> count = new CompletableFuture<>();

    /** @param atFirst containers that a level begins with */
    public ContainersOnDemand(int atFirst) {
        this.atFirst = atFirst;
    }

    /** Once the containers serve. */
    public void from(ContainerCount containers) {
        count.complete(containers);
    }

    @Override
    public void want(int level) throws TopicException {
        try {
            count.get(READY_SECONDS, TimeUnit.SECONDS).want(level, atFirst);
        } catch (ContainerCountException e) {
            throw unavailable(String.valueOf(e.getMessage()));
        } catch (TimeoutException e) {
            throw unavailable("the server starts");
        } catch (ExecutionException e) {
            throw new IllegalStateException("the number of containers is never an exception", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw unavailable("interrupted");
        }
    }

    private static TopicException unavailable(String why) {
        return new TopicException(TopicException.Reason.UNAVAILABLE, why);
    }
}
