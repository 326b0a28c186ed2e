package io.sluice.pulsar;

import io.sluice.broker.log.AppendRejection;
import io.sluice.broker.log.AppendReply;
import io.sluice.store.segment.StoreFailure;

/** An append that may not fail. */
public class MustAppend implements AppendReply {
    @Override
    public void appended(long baseOffset, long lastOffset) {}

    @Override
    public final void duplicate(long baseOffset, long lastOffset) {
        throw new AssertionError("duplicate");
    }

    @Override
    public final void rejected(AppendRejection why) {
        throw new AssertionError(why.message());
    }

    @Override
    public final void failed(StoreFailure why) {
        throw new AssertionError(why.message());
    }
}
