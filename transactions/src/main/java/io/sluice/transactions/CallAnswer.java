package io.sluice.transactions;

/** Callback of a call. Exactly one of {@link #done} and {@link #refused} is called, once, on any thread; neither blocks. */
interface CallAnswer {
    /** Without a caller. */
    CallAnswer IGNORED = new CallAnswer() {
        @Override
        public void done(ProducerIdentity producer) {}

        @Override
        public void refused(TransactionError why) {}
    };

    /** @param producer what the producer goes on as */
    void done(ProducerIdentity producer);

    void refused(TransactionError why);

    default void told(Decision.Reply reply) {
        switch (reply) {
            case Decision.Done done -> done(done.producer());
            case Decision.Refused refused -> refused(refused.why());
        }
    }
}
