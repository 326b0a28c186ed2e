package io.sluice.pulsar.dispatch;

import java.util.List;
import java.util.Map;

/**
 * A consumer as its client describes it.
 *
 * @param id chosen by the client, unique on its connection
 * @param priority 0 is served first
 * @param ranges key hashes it asked for, inclusive pairs; empty unless it is sticky
 * @param metadata the client's own, for stats
 * @param readCompacted wants what compaction has left, where it is
 */
public record ConsumerIdentity(
        long id,
        String name,
        int priority,
        List<HashRange> ranges,
        Map<String, String> metadata,
        boolean readCompacted) {
    /** Identity of a consumer of all key hashes. */
    public ConsumerIdentity(long id, String name, int priority, List<HashRange> ranges, Map<String, String> metadata) {
        this(id, name, priority, ranges, metadata, false);
    }
}
