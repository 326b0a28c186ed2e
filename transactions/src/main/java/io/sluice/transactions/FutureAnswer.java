package io.sluice.transactions;

import java.util.concurrent.CompletableFuture;

/** Answer as a future, which fails with {@link TransactionException}. */
final class FutureAnswer extends CompletableFuture<ProducerIdentity> implements CallAnswer {
    @Override
    public void done(ProducerIdentity producer) {
        complete(producer);
    }

    @Override
    public void refused(TransactionError why) {
        completeExceptionally(new TransactionException(why));
    }
}
