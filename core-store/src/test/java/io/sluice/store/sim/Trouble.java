package io.sluice.store.sim;

/** What may become of a call to something outside of the process. */
enum Trouble {
    NONE,
    /** Nothing happens, and the caller is told. */
    REFUSED,
    /** It happens, and the answer is lost. */
    REPLY_LOST,
    /** The answer is lost, and it happens later. */
    HAPPENS_LATER,
    /** It happens, the client sends it again, and that is refused because it has happened. */
    SENT_TWICE,
    /** A library throws what nobody expects, before or after it happens. */
    THROWN_BEFORE,
    THROWN_AFTER,
    /** It happens after a minute, or at once and the answer comes after a minute. */
    SLOW_TO_HAPPEN,
    SLOW_TO_ANSWER,
    /** It never happens, or at once, and no answer comes within the client's deadline. */
    NEVER_HAPPENS,
    NEVER_ANSWERS;

    /** The caller waits in the middle of the call. */
    boolean waits() {
        return compareTo(SLOW_TO_HAPPEN) >= 0;
    }
}
