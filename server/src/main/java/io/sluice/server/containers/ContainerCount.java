package io.sluice.server.containers;

import io.sluice.server.containers.ContainerCountException.Reason;
import io.sluice.store.cluster.ContainerLease;
import io.sluice.store.cluster.Metadata;
import io.sluice.store.cluster.StoreLayout;
import io.sluice.store.container.ContainerStats;
import io.sluice.store.wal.Durability;
import java.io.IOException;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.IntConsumer;
import java.util.function.IntPredicate;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How many containers the store has, and the changes of it. The stored layout comes first, so that a crash anywhere leaves a
 * number that the next start serves or finishes:
 *
 * <pre>
 *   up:    layout has them ─► opened, the memory divided anew
 *   down:  layout: leaving (nothing new comes, partitions move out, see {@link #round}) ─► closed, once empty
 *          ─► objects and log deleted ─► layout has them no more ─► the memory divided anew
 * </pre>
 *
 * What leaves does not come back: who wants more again gets new ones.
 */
public final class ContainerCount {
    private static final Logger log = LoggerFactory.getLogger(ContainerCount.class);
    private static final Duration OPENED = Duration.ofSeconds(30);
    /** A few rounds of the other nodes. */
    private static final Duration REMOVED_ELSEWHERE = Duration.ofSeconds(10);

    private static final int DEFAULT_LEVEL = Durability.DEFAULT.level();

    private final Metadata metadata;
    private final ServedContainers containers;
    private final Leftovers leftovers;
    private final Known known;
    private final IntConsumer journalRoom;
    private final int most;
    private final Emptying emptying;
    private final ReentrantLock changing = new ReentrantLock();
    /** Why a removal was given up the last time; said once. Guarded by {@link #changing}. */
    private String whyNot = "";

    /** Containers as all nodes know them. Any thread; does not block. */
    @FunctionalInterface
    public interface Known {
        /** How many partitions have their place in the container, whether they are made or not. */
        int placedIn(int container);

        /** Whether another node serves the container. */
        default boolean isElsewhere(int container) {
            return false;
        }
    }

    /** Deletes what a closed container without segments has left in the log and in long-term storage; may be repeated. */
    public interface Leftovers {
        void delete(int container) throws Exception;
    }

    /** Has partitions that have moved take along what they left in containers; may be repeated. Blocks. */
    public interface Emptying {
        void round(List<Integer> leaving) throws InterruptedException;
    }

    /**
     * A container as it is now.
     *
     * @param leaving it is to be removed
     * @param segments that it holds; null while it is not served
     * @param level of durability of its log
     */
    public record View(int id, boolean leaving, @Nullable Integer segments, int level) {
        /** A container of the default level. */
        public View(int id, boolean leaving, @Nullable Integer segments) {
            this(id, leaving, segments, DEFAULT_LEVEL);
        }
    }

    /**
     * @param journalRoom told the number for which the log's disk is to have room, before there are so many
     * @param most containers for which there is memory
     * @param emptying of containers that are to be removed
     */
    public ContainerCount(
            Metadata metadata,
            ServedContainers containers,
            Leftovers leftovers,
            Known known,
            IntConsumer journalRoom,
            int most,
            Emptying emptying) {
        this.metadata = metadata;
        this.containers = containers;
        this.leftovers = leftovers;
        this.known = known;
        this.journalRoom = journalRoom;
        this.most = most;
        this.emptying = emptying;
    }

    /** All containers, by rising id. */
    public List<View> view() {
        List<Integer> staying = containers.staying();
        return containers.all().stream()
                .map(id -> new View(id, !staying.contains(id), segments(id), containers.level(id)))
                .toList();
    }

    /** Whether this node or another serves the container. */
    public boolean isServed(int id) {
        return containers.isKept(id)
                // its figures, too, by which the number of its segments is known
                ? containers.serving(id) != null && containers.stats(id) != null
                : known.isElsewhere(id);
    }

    private @Nullable Integer segments(int id) {
        ContainerStats stats = containers.stats(id);
        return stats == null ? null : stats.segments();
    }

    /** Gives the store so many containers of the default level. */
    public void set(int wanted) throws ContainerCountException, InterruptedException {
        set(wanted, DEFAULT_LEVEL);
    }

    /**
     * Gives the store so many containers of a level of durability; blocks. Of those that are too many, the ones with the fewest segments
     * leave: they take nothing new from now on, and are removed at once if they hold nothing, else by a later {@link #round}. The node that
     * serves one removes it; other nodes' rounds are waited for a while.
     *
     * @throws ContainerCountException in good order if it cannot be done
     */
    public void set(int wanted, int level) throws ContainerCountException, InterruptedException {
        if (level < 1 || level > Durability.LEAST_DURABLE || containers.levelHere(level) != level) {
            throw new ContainerCountException(
                    Reason.BAD_NUMBER,
                    "this store has no containers of level of durability " + level + " of their own");
        }
        int least = level == DEFAULT_LEVEL ? 1 : 0;
        if (!changing.tryLock()) {
            throw new ContainerCountException(Reason.CONFLICT, "another change of the number is under way");
        }
        try {
            removeEmpty(this::isNotElsewhere);
            StoreLayout stored = stored();
            int now = stored.staying(level).size();
            int mostOfLevel = most - (stored.containers().size() - now);
            if (wanted < least || wanted > mostOfLevel) {
                throw new ContainerCountException(
                        Reason.BAD_NUMBER,
                        "a store has " + least + " to " + mostOfLevel + " containers with this server's --memory, not "
                                + wanted);
            }
            if (wanted > now) {
                add(wanted - now, level);
            } else if (wanted < now) {
                leave(now - wanted, level);
            }
        } finally {
            changing.unlock();
        }
    }

    /**
     * Sees to it that there are containers of a level; blocks. The first ones are made when they are first wanted.
     *
     * @param atFirst how many are made, if there is memory for them
     */
    public void want(int level, int atFirst) throws ContainerCountException, InterruptedException {
        changing.lockInterruptibly();
        try {
            StoreLayout stored = stored();
            if (!stored.staying(level).isEmpty()) {
                awaitServed(stored.staying(level));
                return;
            }
            int room = most - stored.containers().size();
            if (room < 1) {
                throw new ContainerCountException(
                        Reason.CONFLICT,
                        "there is no memory for a container of level of durability " + level
                                + ": give the server more --memory");
            }
            add(Math.min(room, atFirst), level);
        } finally {
            changing.unlock();
        }
    }

    /** Goes on with removals of containers of this node that a crash or a failure interrupted. What fails again is left for the next round. */
    public void finishInterrupted() throws InterruptedException {
        changing.lock();
        try {
            removeEmpty(containers::isKept);
            whyNot = "";
        } catch (ContainerCountException e) {
            String why = String.valueOf(e.getMessage());
            if (!why.equals(whyNot)) {
                log.warn("A container is not removed yet, which is tried again: {}", why);
            }
            whyNot = why;
        } finally {
            changing.unlock();
        }
    }

    /**
     * Empties containers that are to be removed of what partitions of this node have left there, and removes those of this node that hold
     * nothing any more; blocks. One thread, at each node.
     */
    public void round() throws InterruptedException {
        List<Integer> staying = containers.staying();
        List<Integer> leaving =
                containers.all().stream().filter(id -> !staying.contains(id)).toList();
        if (!leaving.isEmpty()) {
            emptying.round(leaving);
            finishInterrupted();
        }
    }

    private void add(int more, int level) throws ContainerCountException, InterruptedException {
        journalRoom.accept(stored().containers().size() + more);
        StoreLayout grown = change(layout -> layout.grow(more, level));
        containers.take(grown);
        log.info(
                "The store has {} containers now, {} of them of level of durability {}",
                grown.containers().size(),
                grown.staying(level).size(),
                level);
        awaitServed(grown.staying(level));
    }

    private void awaitServed(List<Integer> ids) throws ContainerCountException, InterruptedException {
        long deadline = System.nanoTime() + OPENED.toNanos();
        for (int id : ids) {
            while (!isServed(id)) {
                if (System.nanoTime() - deadline > 0) {
                    throw new ContainerCountException(
                            Reason.UNAVAILABLE,
                            "container " + id + " is there, but is not served yet: the log says why");
                }
                Thread.sleep(5);
            }
        }
    }

    private void leave(int count, int level) throws ContainerCountException, InterruptedException {
        List<Integer> emptiest = containers.staying(level).stream()
                .sorted(Comparator.comparingInt(this::segmentsOrMany).thenComparing(Comparator.reverseOrder()))
                .toList();
        boolean allGo = count == emptiest.size();
        if (allGo && emptiest.stream().anyMatch(id -> known.placedIn(id) > 0)) {
            throw new ContainerCountException(
                    Reason.CONFLICT,
                    "partitions of topics have their place in containers of level of durability " + level
                            + ", so one of them stays");
        }
        List<Integer> going = emptiest.subList(0, count);
        containers.take(change(layout -> layout.withLeaving(
                Stream.concat(layout.leaving().stream(), going.stream()).toList())));
        log.info("Containers {} leave: what they hold goes to others, then they are removed", going);
        removeEmpty(this::isNotElsewhere);
        awaitRemovedElsewhere();
    }

    /** Segments of a container; of one that another node serves, what is known of them here. */
    private int segmentsOrMany(int id) {
        Integer segments = segments(id);
        if (segments != null) {
            return segments;
        }
        return isNotElsewhere(id) ? Integer.MAX_VALUE : known.placedIn(id);
    }

    private boolean isNotElsewhere(int id) {
        return containers.isKept(id) || !known.isElsewhere(id);
    }

    /** Has this node's view without containers that others can remove at once. */
    private void awaitRemovedElsewhere() throws ContainerCountException, InterruptedException {
        long deadline = System.nanoTime() + REMOVED_ELSEWHERE.toNanos();
        StoreLayout now = stored();
        while (now.leaving().stream().anyMatch(id -> !isNotElsewhere(id) && known.placedIn(id) == 0)
                && System.nanoTime() - deadline < 0) {
            Thread.sleep(20);
            now = stored();
        }
        containers.take(now);
    }

    /** Removes of what is leaving that which holds nothing. */
    private void removeEmpty(IntPredicate here) throws ContainerCountException, InterruptedException {
        for (int id : stored().leaving()) {
            // Nothing new is placed there since it is leaving: what is placed now was before.
            if (here.test(id) && known.placedIn(id) == 0 && close(id) == 0) {
                removed(id);
            }
        }
    }

    private int close(int id) throws ContainerCountException, InterruptedException {
        try {
            return containers.closeIfEmpty(id);
        } catch (IllegalStateException e) {
            throw unfinished(id, String.valueOf(e.getMessage()));
        }
    }

    private void removed(int id) throws ContainerCountException, InterruptedException {
        try {
            leftovers.delete(id);
            ContainerLease.forget(metadata, id);
        } catch (InterruptedException e) {
            throw e;
        } catch (Exception e) {
            throw unfinished(id, String.valueOf(e.getMessage()));
        }
        StoreLayout left = change(layout -> layout.without(id));
        containers.take(left);
        journalRoom.accept(left.containers().size());
        log.info(
                "Container {} is removed, the store has {} now",
                id,
                left.containers().size());
    }

    private static ContainerCountException unfinished(int id, String why) {
        return new ContainerCountException(
                Reason.UNAVAILABLE,
                "container " + id + " is to be removed, but is not yet: " + why + "; give the number again, to go on");
    }

    private StoreLayout stored() throws ContainerCountException {
        return change(layout -> layout);
    }

    private StoreLayout change(UnaryOperator<StoreLayout> change) throws ContainerCountException {
        try {
            return StoreLayout.change(metadata, change);
        } catch (IOException e) {
            throw new ContainerCountException(
                    Reason.UNAVAILABLE, "the metadata store does not answer: " + e.getMessage());
        }
    }
}
