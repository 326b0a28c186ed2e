package io.sluice.broker.container;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Steps in containers, wherever these are served. Any thread; never blocks.
 *
 * <pre>
 *   served here      ─► loop of the container
 *   served elsewhere ─► {@code Peers.ask} ─► loop of the container there
 *   by no node now   ─► waits a little for one, then fails
 * </pre>
 *
 * <p><b>Order.</b> Steps in one container that are asked for one after the other's answer follow each other. <b>Failure.</b> A {@link
 * io.sluice.store.segment.StoreException}: what the store says, or {@code NotOwner} where the owner is not known, or does not answer
 * in time. Of a step that failed so it is not known whether it was, or will be, carried out. Anything else is a defect. <b>Idempotence.</b>
 * A step is asked again by itself only of the next owner, when the one before has done nothing; all steps can be.
 */
public interface ContainerOperations {
    /** Maximum size of a step or a result that may go to another node. */
    int MOST_BYTES = 16 << 20;

    /** Whether a node that is alive serves the container, as far as is known here. */
    boolean isServed(int container);

    /** Ids of all containers of the store, served or not. */
    List<Integer> all();

    /** Maximum size of a result: {@link Integer#MAX_VALUE} where none crosses nodes. */
    int mostBytes();

    /** Has the step carried out. The future completes on a loop or a thread of the network: what is chained to it must not block. */
    <T extends @Nullable Object> CompletableFuture<T> ask(int container, ContainerStep<T> step);
}
