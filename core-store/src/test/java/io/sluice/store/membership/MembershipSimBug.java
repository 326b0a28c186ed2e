package io.sluice.store.membership;

/** Planted faults that the checks find. */
enum MembershipSimBug {
    NONE(true),
    /** Reads are answered whether the lease is held or not. */
    SERVES_PAST_THE_LEASE(false),
    /** Observers take a node for dead after a twentieth of its lease. */
    DEAD_TOO_EARLY(false),
    /** A lease that has lapsed is good again once the node's record is written again. */
    FORGETS_LAPSES(false),
    /** A lease that was taken by a write whose answer was lost stays taken. */
    KEEPS_WHAT_IT_DOES_NOT_KNOW(true),
    /** The next owner does not fence the log: the assignment and leases alone keep writers apart. */
    DOES_NOT_FENCE(false),
    /** Every node assigns, all the time: no fault of safety. */
    ALL_CONTROL(true),
    /** A node that cannot write a log gives the container back, tells nobody, and is assigned it again. */
    SAYS_NOTHING_OF_LOGS(true),
    /** Nodes say that they can write a log without a try. */
    REACHES_UNTRIED(true),
    /** A trial of the log succeeds where writes fail: no fault, for failures are counted. */
    TRIAL_TELLS_NOTHING(true),
    /** The same, and failures are forgotten when a container has left. */
    FORGETS_FAILURES(true);

    /** Whether the end is checked, too: it says nothing of faults that show before. */
    final boolean endsWell;

    MembershipSimBug(boolean endsWell) {
        this.endsWell = endsWell;
    }
}
