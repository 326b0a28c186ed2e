package io.sluice.kafka.fetch;

import java.util.List;
import org.apache.kafka.common.protocol.Errors;
import org.jspecify.annotations.Nullable;

/**
 * Plan of one fetch: the partitions to look at, in order, and the form of the answer.
 *
 * @param session null for a fetch outside any session
 * @param watches of the session: they say what else is to be looked at. Null if there are none; then all partitions of the session are here
 * @param others partitions of the session of which it is time to see whether their logs are still the same
 * @param incremental only news is told
 * @param error why nothing can be fetched; then there are no partitions
 */
public record FetchPlan(
        List<FetchPartition> partitions,
        @Nullable FetchSession session,
        @Nullable FetchWatches watches,
        List<FetchPartition> others,
        boolean incremental,
        Errors error) {
    static FetchPlan refused(Errors error) {
        return new FetchPlan(List.of(), null, null, List.of(), false, error);
    }

    /** Outside any session. */
    static FetchPlan alone(List<FetchPartition> partitions, boolean incremental) {
        return new FetchPlan(partitions, null, null, List.of(), incremental, Errors.NONE);
    }
}
