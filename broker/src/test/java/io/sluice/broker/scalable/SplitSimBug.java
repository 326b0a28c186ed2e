package io.sluice.broker.scalable;

/** A mistake that a {@link SplitSim} must find. */
enum SplitSimBug {
    NONE,
    /** The children are shown before the parent is terminated: what has the old graph still appends to it. */
    APPEND_AFTER_THE_SEAL,
    /** The seal is not waited for: a crash may take it back after the children are shown. */
    SEAL_NOT_DURABLE,
    /** Children are read before everything of their parents is acknowledged. */
    SUCCESSOR_READ_EARLY,
    /** The children do not get the subscription. */
    CURSOR_LEFT_BEHIND,
    /** The children with the upper half of all hashes do not get it. */
    CURSOR_OF_ONE_ONLY,
    /** The subscriptions of children are not waited for: a crash may take them back. */
    CURSOR_NOT_DURABLE,
    /** A change that was cut short after the seal is undone. */
    UNDONE_AFTER_THE_SEAL,
    /** A seal under way is not waited for by who asks for it, and the change is undone. */
    SEAL_UNDER_WAY_OVERLOOKED,
    /** A change that is undone leaves its children. */
    CHILDREN_LEFT,
    /** A subscription is made without regard to a split or a merge under way, which has asked for the subscriptions already. */
    SUBSCRIBED_BESIDE_A_CHANGE,
    /** A subscription on a segment that is sealed already does not begin in the segments that go on. */
    SUBSCRIBED_ON_THE_SEALED_ONLY,
    /** A sealed segment goes whatever is left in it. */
    CLEANED_UNREAD,
    /** A sealed segment goes when all that is committed there has gone, though a transaction is open. */
    CLEANED_UNDECIDED,
    /** Children are read when what is committed of their parents is acknowledged, though a transaction is open there. */
    SUCCESSOR_READ_UNDECIDED,
    /** A node goes on with a change though another one, which took it for dead, has ended that. */
    WRITES_WHATEVER_IS_THERE,
    /** After a lost connection a node is not told that it missed changes. */
    MISSED_CHANGES_UNTOLD,
    /** A change that failed on its way is left to the next start or the next change. */
    NEVER_TRIED_AGAIN,
    /** A segment stays where it is that a node terminated which was taken for dead, went on, and died. */
    REFUSED_FOR_EVER;

    /** First of the seeds that are to show it, which matters where it shows rarely. */
    long firstSeed() {
        return this == REFUSED_FOR_EVER ? 876 : 1;
    }

    boolean isOfTwoNodes() {
        return this == WRITES_WHATEVER_IS_THERE || this == MISSED_CHANGES_UNTOLD || this == REFUSED_FOR_EVER;
    }
}
