package io.sluice.broker.container;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.sluice.broker.entry.Packed;
import io.sluice.broker.peer.PeerException;
import io.sluice.broker.peer.PeerException.Reason;
import io.sluice.broker.peer.PeerHandler;
import io.sluice.broker.peer.PeerHandlers;
import io.sluice.broker.peer.PeerKinds;
import io.sluice.store.segment.Containers;
import io.sluice.store.segment.SegmentContainer;
import io.sluice.store.segment.StoreException;
import io.sluice.store.segment.StoreFailure;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/** Carries out what other nodes want done in containers that are served here. */
public final class StepHandler implements PeerHandler {
    private final Containers containers;
    private final ContainerSteps steps;
    private final StepGuard guard;
    private final Executor tasks;

    private StepHandler(Containers containers, ContainerSteps steps, StepGuard guard, Executor tasks) {
        this.containers = containers;
        this.steps = steps;
        this.guard = guard;
        this.tasks = tasks;
    }

    /**
     * Carries out steps for others from now on.
     *
     * @param tasks writes results down, which may copy much, away from the containers' loops
     */
    public static void register(
            PeerHandlers handlers, Containers containers, ContainerSteps steps, StepGuard guard, Executor tasks) {
        handlers.add(PeerKinds.CHANGE_CONTAINER, 0, new StepHandler(containers, steps, guard, tasks));
    }

    @Override
    public CompletableFuture<byte[]> answer(Asked asked) {
        ByteBuf in = Unpooled.wrappedBuffer(asked.body());
        int container;
        byte code;
        ContainerStep<?> step;
        try {
            container = Packed.readCount(in);
            code = in.readByte();
            step = steps.read(code, in);
        } catch (RuntimeException e) {
            throw new PeerException(Reason.REFUSED, "a step that cannot be read: " + e.getMessage());
        }
        if (step == null) {
            throw new PeerException(Reason.NOT_KNOWN, "step " + code + " in a container is not known here");
        }
        SegmentContainer serving = containers.serving(container);
        if (serving == null) {
            throw new PeerException(Reason.NOT_OWNER, "container " + container + " is not served by this node");
        }
        return carryOut(serving, step, asked.deadline());
    }

    private <T extends @Nullable Object> CompletableFuture<byte[]> carryOut(
            SegmentContainer container, ContainerStep<T> step, long deadline) {
        CompletableFuture<T> result = container.ask(answer -> {
            if (System.nanoTime() - deadline > 0) {
                throw new PeerException(Reason.OVERLOADED, "the step's turn came when nobody waited any more");
            }
            StoreFailure refusal = guard.refusal(container, step);
            if (refusal == null) {
                step.begin(container, answer);
            } else {
                answer.fail(refusal);
            }
        });
        return result.handleAsync(
                (value, why) -> {
                    if (why == null) {
                        return StepFrames.answer(step, value);
                    }
                    if (RoutedOperations.isOfItsEnd(container, why)) {
                        throw new PeerException(
                                Reason.NOT_OWNER,
                                "container " + container.id() + " is not served by this node any more");
                    }
                    StoreFailure declined = StoreException.failureIn(why);
                    if (declined != null) {
                        return StepFrames.failure(declined);
                    }
                    throw new CompletionException(StoreException.causeOf(why));
                },
                tasks);
    }
}
