package io.sluice.broker.log.open;

import io.sluice.broker.log.AppendReply;
import io.sluice.broker.log.state.AppendVerdict.Duplicate;
import io.sluice.store.segment.Durable;
import io.sluice.store.segment.StoreFailure;

/** Answers an append that repeats one which is still in flight. */
record DuplicateReply(AppendReply reply, Duplicate of) implements Durable {
    @Override
    public void durable() {
        reply.duplicate(of.baseOffset(), of.lastOffset());
    }

    @Override
    public void failed(StoreFailure why) {
        reply.failed(why);
    }
}
