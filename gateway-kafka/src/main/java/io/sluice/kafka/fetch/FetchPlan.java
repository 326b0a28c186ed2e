package io.sluice.kafka.fetch;

import java.util.List;
import org.apache.kafka.common.protocol.Errors;
import org.jspecify.annotations.Nullable;

/**
 * Plan of one fetch: the partitions to read, in order, and the form of the answer.
 *
 * @param session null for a fetch outside any session
 * @param incremental only news is told
 * @param error why nothing can be fetched; then there are no partitions
 */
public record FetchPlan(
        List<FetchPartition> partitions, @Nullable FetchSession session, boolean incremental, Errors error) {
    static FetchPlan refused(Errors error) {
        return new FetchPlan(List.of(), null, false, error);
    }
}
