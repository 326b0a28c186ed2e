package io.sluice.store.sim;

import io.netty.buffer.ByteBuf;

/** Watches the world and throws a {@link Violation} when it sees what must not be. */
public interface Checker {
    /**
     * {@code owner} has recovered.
     *
     * @param before what the owner before it knew, the ends of its segments possibly never acknowledged
     */
    default void served(SimOwner owner, SimModel before) {}

    /** {@code owner} told a client that its append is durable. */
    default void acknowledged(SimOwner owner, SimSegment segment, SimAppend append) {}

    /** {@code owner} answered a read; {@code data} is borrowed. */
    default void read(SimOwner owner, SimSegment segment, long position, ByteBuf data) {}

    /** Now and then, while {@code owner} serves. */
    default void look(SimOwner owner) {}

    /** Now and then, whether somebody serves or not. */
    default void turn() {}
}
