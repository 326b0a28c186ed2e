package io.sluice.broker.container;

import io.sluice.broker.cluster.Cluster;
import io.sluice.broker.cluster.ClusterNode;
import io.sluice.broker.peer.PeerException;
import io.sluice.broker.peer.PeerException.Reason;
import io.sluice.broker.peer.PeerKinds;
import io.sluice.broker.peer.PeerQuestion;
import io.sluice.broker.peer.Peers;
import io.sluice.store.segment.Containers;
import io.sluice.store.segment.SegmentContainer;
import io.sluice.store.segment.StoreException;
import io.sluice.store.segment.StoreFailure;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Steps in containers of all nodes: here where they are served here, else by the node that the cluster says owns them. Where a container's
 * term ends before a step is done, its next owner is asked.
 */
public final class RoutedOperations implements ContainerOperations {
    /** Time for another node's answer: less than whoever changes a topic waits. */
    private static final Duration WAIT = Duration.ofSeconds(25);

    /** Time for a container to have an owner again: longer than a node that dies, or hands it over, leaves it without one. */
    public static final Duration OWNERLESS = Duration.ofSeconds(10);

    private static final Duration PAUSE = Duration.ofMillis(50);
    private static final short VERSION = 0;

    private final Containers containers;
    private final LocalOperations here;
    private final Cluster cluster;
    private final Peers peers;
    private final Duration ownerless;

    /** @param ownerless how long a step waits for a node that serves its container */
    public RoutedOperations(Containers containers, Cluster cluster, Peers peers, Duration ownerless) {
        this.containers = containers;
        this.here = new LocalOperations(containers);
        this.cluster = cluster;
        this.peers = peers;
        this.ownerless = ownerless;
    }

    @Override
    public boolean isServed(int container) {
        return here.isServed(container) || owner(container) != null;
    }

    /** Null if it is this node, or not known. */
    private @Nullable ClusterNode owner(int container) {
        ClusterNode owner = cluster.ownerOf(container);
        return owner == null || cluster.isSelf(owner) ? null : owner;
    }

    @Override
    public List<Integer> all() {
        return containers.all();
    }

    @Override
    public int mostBytes() {
        return MOST_BYTES;
    }

    @Override
    public <T extends @Nullable Object> CompletableFuture<T> ask(int container, ContainerStep<T> step) {
        return ask(container, step, System.nanoTime() + ownerless.toNanos());
    }

    private <T extends @Nullable Object> CompletableFuture<T> ask(int container, ContainerStep<T> step, long deadline) {
        SegmentContainer serving = containers.serving(container);
        if (serving != null) {
            CompletableFuture<T> answer = serving.ask(later -> step.begin(serving, later));
            return answer.exceptionallyCompose(why -> isOfItsEnd(serving, why) && !isLate(deadline)
                    ? askLater(container, step, deadline)
                    : CompletableFuture.failedFuture(why));
        }
        ClusterNode owner = owner(container);
        if (owner == null) {
            return isLate(deadline)
                    ? LocalOperations.notServed(container, "container " + container + " is served by no node now")
                    : askLater(container, step, deadline);
        }
        byte[] question = StepFrames.question(container, step);
        if (question.length > Peers.MOST_BYTES) {
            return CompletableFuture.failedFuture(new StoreException(new StoreFailure.TooLarge(
                    question.length, Peers.MOST_BYTES, "a step of " + question.length + " bytes is too large")));
        }
        return peers.ask(owner.id(), new PeerQuestion(PeerKinds.CHANGE_CONTAINER, VERSION, question), WAIT)
                .handle((answer, why) -> {
                    if (why == null) {
                        return CompletableFuture.completedFuture(StepFrames.read(step, answer));
                    }
                    return isOfAnEarlierOwner(why) && !isLate(deadline)
                            ? askLater(container, step, deadline)
                            : CompletableFuture.<T>failedFuture(failure(container, why));
                })
                .thenCompose(Function.identity());
    }

    /** Whether a step failed because the container's term ended, so that another one may carry it out. */
    static boolean isOfItsEnd(SegmentContainer container, Throwable why) {
        return container.isEnded() && StoreException.failureIn(why) instanceof StoreFailure.NotOwner;
    }

    private static boolean isLate(long deadline) {
        return System.nanoTime() - deadline >= 0;
    }

    /** Whether the node that was asked serves the container no more, or is no more, and has done nothing. */
    private static boolean isOfAnEarlierOwner(Throwable why) {
        PeerException known = PeerException.in(why);
        return known != null && (known.reason() == Reason.NOT_OWNER || known.reason() == Reason.UNREACHABLE);
    }

    private <T extends @Nullable Object> CompletableFuture<T> askLater(
            int container, ContainerStep<T> step, long deadline) {
        Executor later = CompletableFuture.delayedExecutor(PAUSE.toMillis(), TimeUnit.MILLISECONDS);
        return CompletableFuture.supplyAsync(() -> ask(container, step, deadline), later)
                .thenCompose(Function.identity());
    }

    private static RuntimeException failure(int container, Throwable why) {
        PeerException known = PeerException.in(why);
        if (known == null || known.reason() == Reason.FAILED) {
            return new IllegalStateException("a step in container " + container + " failed: " + why.getMessage());
        }
        String message = String.valueOf(known.getMessage());
        return new StoreException(
                known.reason() == Reason.OVERLOADED
                        ? new StoreFailure.Overloaded(message)
                        : new StoreFailure.NotOwner(container, message));
    }
}
