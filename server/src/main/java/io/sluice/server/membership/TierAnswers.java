package io.sluice.server.membership;

/** Long-term storage as this node's requests find it. Any thread. */
public interface TierAnswers {
    /** A request has failed since one was last answered, or has waited for seconds. */
    boolean isInDoubt();

    /** Asks for something small, and blocks for as long as that takes. */
    boolean answers();
}
