package io.sluice.broker.log.state;

import io.netty.buffer.ByteBuf;

/**
 * Snapshots as they were before they had parts: the fields of all parts in a fixed order. Version 1 knew no exclusive writers.
 */
final class FixedSnapshot {
    private static final byte WITHOUT_EXCLUSIVE_WRITERS = 1;
    static final byte LAST = 2;

    private FixedSnapshot() {}

    static void read(byte version, ByteBuf in, PartitionState state, StatePart subscriptions) {
        if (version < WITHOUT_EXCLUSIVE_WRITERS) {
            throw new IllegalStateException("a partition's snapshot has version " + version + ", which never was");
        }
        Offsets offsets = state.offsets();
        offsets.restoreEnds(in);
        state.clock().restore(StatePart.FIRST_VERSION, in);
        offsets.restoreFormat(in);
        if (version > WITHOUT_EXCLUSIVE_WRITERS) {
            state.exclusiveWriter().restore(StatePart.FIRST_VERSION, in);
        }
        offsets.restoreIndex(in);
        state.epochs().restore(StatePart.FIRST_VERSION, in);
        state.kafkaProducers().restore(StatePart.FIRST_VERSION, in);
        state.pulsarProducers().restore(StatePart.FIRST_VERSION, in);
        subscriptions.restore(in.readByte(), in);
    }
}
