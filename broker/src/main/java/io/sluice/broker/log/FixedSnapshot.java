package io.sluice.broker.log;

import io.netty.buffer.ByteBuf;

/**
 * Snapshots as they were before they had parts: the fields of all parts in a fixed order. Version 1 knew no exclusive writers.
 */
final class FixedSnapshot {
    private static final byte WITHOUT_EXCLUSIVE_WRITERS = 1;
    private static final byte OF_THE_PART = 1;

    private FixedSnapshot() {}

    static void read(byte version, ByteBuf in, PartitionState state, StatePart subscriptions) {
        Offsets offsets = state.offsets();
        offsets.restoreEnds(in);
        state.clock().restore(OF_THE_PART, in);
        offsets.restoreFormat(in);
        if (version > WITHOUT_EXCLUSIVE_WRITERS) {
            state.exclusiveWriter().restore(OF_THE_PART, in);
        }
        offsets.restoreIndex(in);
        state.epochs().restore(OF_THE_PART, in);
        state.kafkaProducers().restore(OF_THE_PART, in);
        state.pulsarProducers().restore(OF_THE_PART, in);
        subscriptions.restore(in.readByte(), in);
    }
}
