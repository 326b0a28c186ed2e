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
 * @param nodes by id
 * @param containers by rising id
 * @param bookies by id
 * @param unreachable reasons why bookies that are registered cannot be connected to, by id
 * @param underReplicatedLedgers {@link #MOST_LEDGERS} where there may be more
 */
public record ClusterStatus(
        @Nullable UUID id,
        String version,
        List<Node> nodes,
        List<Container> containers,
        List<RegisteredBookie> bookies,
        Map<String, String> unreachable,
        int underReplicatedLedgers,
        Tier tier) {
    /** Under-replicated ledgers are counted up to here. */
    public static final int MOST_LEDGERS = 10_000;

    /**
     * A node that runs or once did.
     *
     * @param state {@link #DEAD} if its lease has run out, else what it says of itself, in lower case
     * @param endpoints by listener, as {@code host:port}
     * @param missedLogs containers whose logs it says it cannot write, rising; none of a node that does not run
     * @param missesTier it says that long-term storage does not answer it; false of a node that does not run
     */
    public record Node(
            String id,
            UUID incarnation,
            String version,
            String rack,
            String state,
            Map<String, String> endpoints,
            List<Integer> missedLogs,
            boolean missesTier) {
        static final String DEAD = "dead";
        static final String DOWN = "down";

        public Node {
            endpoints = Map.copyOf(endpoints);
            missedLogs = List.copyOf(missedLogs);
        }

        /** It has said so lately. */
        public boolean runs() {
            return !state.equals(DEAD) && !state.equals(DOWN);
        }
    }

    /**
     * A container.
     *
     * @param owner node whose lease of it is held; null if none is
     * @param serving the owner has recovered it
     * @param term of its log's last owner; 0 if it was never opened
     * @param level of durability
     * @param leaving it takes nothing new, and is to be removed
     */
    public record Container(int id, @Nullable String owner, boolean serving, long term, int level, boolean leaving) {}

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
        nodes = List.copyOf(nodes);
        containers = List.copyOf(containers);
        bookies = List.copyOf(bookies);
        unreachable = Map.copyOf(unreachable);
    }
}
