package io.sluice.server.cluster;

import io.sluice.store.wal.bookkeeper.RegisteredBookie;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A cluster as its metadata store, its bookies and its bucket showed it a moment ago.
 *
 * @param id null where no store has been made yet
 * @param version of the program that looked
 * @param containers by rising id
 * @param bookies by id
 * @param unreachable reasons why bookies that are registered cannot be connected to, by id
 * @param underReplicatedLedgers {@link #MOST_LEDGERS} where there may be more
 */
public record ClusterStatus(
        @Nullable UUID id,
        String version,
        List<Container> containers,
        List<RegisteredBookie> bookies,
        Map<String, String> unreachable,
        int underReplicatedLedgers,
        Tier tier) {
    /** Under-replicated ledgers are counted up to here. */
    public static final int MOST_LEDGERS = 10_000;

    /**
     * A container.
     *
     * @param owner node that holds its lease; null if none does
     * @param term of its log's last owner; 0 if it was never opened
     * @param level of durability
     * @param leaving it takes nothing new, and is to be removed
     */
    public record Container(int id, @Nullable String owner, long term, int level, boolean leaving) {}

    /**
     * Long-term storage.
     *
     * @param bucket its name
     * @param owner id of the cluster that it says to belong to; null if it says nothing
     * @param failure why it cannot be read; null if it can
     */
    public record Tier(
            String bucket, @Nullable String owner, @Nullable String failure) {}

    public ClusterStatus {
        containers = List.copyOf(containers);
        bookies = List.copyOf(bookies);
        unreachable = Map.copyOf(unreachable);
    }
}
