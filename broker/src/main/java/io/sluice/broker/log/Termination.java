package io.sluice.broker.log;

import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/** Whether the partition takes no more entries, for ever. Asked last: what was appended before is still a duplicate. */
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
        return terminated ? REFUSE : null;
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
