package io.sluice.kafka.fetch;

/** Step after a round of a {@link FetchOperation} that does not find enough; each comes before those above it. */
enum AfterRound {
    /** Nothing was told: it waits. */
    PARK,
    /** Something that is watched has changed meanwhile. */
    READ_AGAIN,
    /** The client's time is up, or an error is to be told at once. */
    ANSWER;

    /** The one of the two that comes first. */
    AfterRound or(AfterRound other) {
        return compareTo(other) >= 0 ? this : other;
    }
}
