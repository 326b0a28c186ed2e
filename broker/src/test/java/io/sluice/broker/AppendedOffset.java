package io.sluice.broker;

import io.sluice.broker.log.AppendRejection;
import io.sluice.broker.log.AppendReply;
import io.sluice.store.segment.StoreFailure;
import java.util.concurrent.CompletableFuture;

/**
 * Reply to an append that must succeed.
 *
 * @param done completed with the base offset
 */
public record AppendedOffset(CompletableFuture<Long> done) implements AppendReply {
    @Override
    public void appended(long baseOffset, long lastOffset) {
        done.complete(baseOffset);
    }

    @Override
    public void duplicate(long baseOffset, long lastOffset) {
        done.completeExceptionally(new AssertionError("nothing is sent twice"));
    }

    @Override
    public void rejected(AppendRejection why) {
        done.completeExceptionally(new AssertionError(why.message()));
    }

    @Override
    public void failed(StoreFailure why) {
        done.completeExceptionally(new AssertionError(why.message()));
    }
}
