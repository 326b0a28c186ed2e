package io.sluice.broker.log.state;

import io.netty.buffer.ByteBuf;
import io.sluice.broker.entry.EntryHeader;
import io.sluice.broker.log.AppendRejection;
import org.jspecify.annotations.Nullable;

/**
 * Whether the partition takes no more messages, for ever. Asked last: what was appended before is still a duplicate. Transactions
 * that are open still end.
 */
final class Termination implements StatePart {
    static final byte TAG = 7;

    private static final AppendVerdict REFUSE =
            new AppendVerdict.Refuse(new AppendRejection.Terminated("the topic was already terminated"));

    private boolean terminated;

    boolean terminated() {
        return terminated;
    }

    @Override
    public byte tag() {
        return TAG;
    }

    @Override
    public boolean isEmpty() {
        return !terminated;
    }

    @Override
    public @Nullable AppendVerdict decide(ByteBuf entry, int at) {
        return terminated && !EntryHeader.isControl(entry, at) ? REFUSE : null;
    }

    @Override
    public void note(PartitionNote note) {
        terminated |= note instanceof PartitionNote.Terminated;
    }

    /** There is nothing more to say than that there is one. */
    @Override
    public void snapshot(ByteBuf out) {}

    @Override
    public void restore(byte version, ByteBuf in) {
        terminated = true;
    }
}
