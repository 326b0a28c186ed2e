package io.sluice.broker.log.state;

import io.sluice.broker.log.AppendRejection;

/** Decision of {@link PartitionState#decide} about an entry. */
public sealed interface AppendVerdict {
    /** Takes the next offsets. */
    enum Accept implements AppendVerdict {
        ACCEPT
    }

    /** Was appended before, at these offsets; -1 if forgotten. */
    record Duplicate(long baseOffset, long lastOffset) implements AppendVerdict {}

    /** May not be appended. */
    record Refuse(AppendRejection why) implements AppendVerdict {}
}
