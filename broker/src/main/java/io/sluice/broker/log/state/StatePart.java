package io.sluice.broker.log.state;

import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/**
 * One part of what a partition knows of its entries. Pure: {@link #decide} and {@link #snapshot} read, the others write, and
 * none knows a clock, so that recovery ends in the same state. A part is as of what is <em>sequenced</em>; what may come true
 * only when an entry is durable is an {@link Outcome}.
 */
public interface StatePart {
    byte FIRST_VERSION = 1;

    /** Names the part in snapshots; never given to another one. See {@code docs/formats.md}. */
    byte tag();

    /** The version that {@link #snapshot} writes now. */
    default byte version() {
        return FIRST_VERSION;
    }

    /** The newest version that {@link #restore} reads; it reads every earlier one, too. */
    default byte newestVersion() {
        return version();
    }

    /** Whether it is as a new partition has it: then no snapshot mentions it. */
    boolean isEmpty();

    /** Writes the state as if all outcomes had come: for readers of the snapshot they have. */
    void snapshot(ByteBuf out);

    /** Takes over what {@link #snapshot} wrote, all of {@code in}. */
    void restore(byte version, ByteBuf in);

    /** This part's verdict on an entry whose form is right: null if it has no objection. */
    default @Nullable AppendVerdict decide(ByteBuf entry, int at) {
        return null;
    }

    /** The entry was sequenced at {@code position}. Gives what comes true when it is durable, or null. */
    default @Nullable Outcome append(ByteBuf entry, int at, long position) {
        return null;
    }

    /** Every part hears of every note. */
    default void note(PartitionNote note) {}

    /** When a durable entry decides something that readers see. */
    interface Outcome {
        void durable();
    }
}
