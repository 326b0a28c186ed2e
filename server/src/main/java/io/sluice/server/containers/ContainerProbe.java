package io.sluice.server.containers;

import io.sluice.store.segment.Durable;
import io.sluice.store.segment.LoopTask;
import io.sluice.store.segment.SegmentContainer;
import io.sluice.store.segment.StoreFailure;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** Goes to a container's loop and, if that has something on its way to the log, waits for the log. Writes nothing. */
final class ContainerProbe implements LoopTask, Durable {
    private final int id;
    private final SegmentContainer container;
    private final CompletableFuture<@Nullable String> answer = new CompletableFuture<>();

    private ContainerProbe(int id, SegmentContainer container) {
        this.id = id;
        this.container = container;
    }

    static CompletableFuture<@Nullable String> of(int id, SegmentContainer container) {
        var probe = new ContainerProbe(id, container);
        container.execute(probe);
        return probe.answer;
    }

    @Override
    public void run() {
        container.barrier(this);
    }

    @Override
    public void durable() {
        answer.complete(null);
    }

    @Override
    public void failed(StoreFailure why) {
        answer.complete("container " + id + ": " + why.message());
    }

    @Override
    public void abandoned(StoreFailure why) {
        failed(why);
    }
}
