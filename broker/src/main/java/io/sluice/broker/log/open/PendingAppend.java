package io.sluice.broker.log.open;

import io.sluice.broker.log.AppendReply;
import io.sluice.broker.log.read.LogTail;
import io.sluice.store.segment.Durable;
import io.sluice.store.segment.StoreFailure;

/** An append in flight: moves the partition's end on when it is durable, and answers. */
record PendingAppend(LogTail tail, AppendReply reply, long base, long next, long endPosition) implements Durable {
    @Override
    public void durable() {
        tail.durableTo(endPosition);
        reply.appended(base, next - 1);
    }

    @Override
    public void failed(StoreFailure why) {
        reply.failed(why);
    }
}
