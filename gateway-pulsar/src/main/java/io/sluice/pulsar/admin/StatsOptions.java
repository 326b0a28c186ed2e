package io.sluice.pulsar.admin;

/**
 * Parts of a topic's stats that cost something, and that a request asks for or leaves out, as in Pulsar.
 *
 * @param times when the first message of each backlog was published, for which it is read
 */
record StatsOptions(boolean times, boolean publishers, boolean consumers) {
    static final StatsOptions USUAL = new StatsOptions(false, true, true);

    private static final String TIMES = "getEarliestTimeInBacklog";
    private static final String NO_PUBLISHERS = "excludePublishers";
    private static final String NO_CONSUMERS = "excludeConsumers";

    static StatsOptions of(AdminRequest r) {
        return new StatsOptions(r.flag(TIMES), !r.flag(NO_PUBLISHERS), !r.flag(NO_CONSUMERS));
    }

    /** The same, of another node's stats. */
    String query() {
        return "?" + TIMES + "=" + times + "&" + NO_PUBLISHERS + "=" + !publishers + "&" + NO_CONSUMERS + "="
                + !consumers;
    }
}
