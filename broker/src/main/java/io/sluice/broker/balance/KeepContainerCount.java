package io.sluice.broker.balance;

import io.sluice.broker.balance.ContainerCountPolicy.Decision;
import io.sluice.broker.balance.ContainerCountPolicy.History;
import io.sluice.broker.balance.LoadSample.ContainerLoad;
import io.sluice.store.segment.Containers;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Gives the store more containers while they have too much to do, and fewer when they have little, those of each level of durability by
 * themselves. Blocking; one thread at a time, but for {@link #changes}.
 */
public final class KeepContainerCount {
    private static final Logger log = LoggerFactory.getLogger(KeepContainerCount.class);
    private static final int CHANGES_SHOWN = 20;
    /** A container that is served for so long has a load that is known. */
    private static final long SETTLED_MILLIS = 10_000;

    private final Containers containers;
    private final Count count;
    private final ContainerCountPolicy policy;
    private final LongSupplier clock;
    private final Map<Integer, History> histories = new HashMap<>();
    private final List<Change> changes = new CopyOnWriteArrayList<>();

    /** Changes the number. */
    public interface Count {
        /** @throws Exception whose message tells people why it cannot be done */
        void set(int wanted, int level) throws Exception;
    }

    /**
     * @param level of durability
     * @param done whether the store has so many now
     * @param at by the clock
     */
    public record Change(int level, int from, int to, String reason, boolean done, long at) {}

    /** @param clock milliseconds, which only rise; that of the samples */
    public KeepContainerCount(Containers containers, Count count, ContainerCountPolicy policy, LongSupplier clock) {
        this.containers = containers;
        this.count = count;
        this.policy = policy;
        this.clock = clock;
    }

    /** The last 20, newest first. Any thread. */
    public List<Change> changes() {
        List<Change> all = new ArrayList<>(changes);
        Collections.reverse(all);
        return all;
    }

    /** Gives how often the number was changed, or should have been. */
    public int round(LoadSample sample) throws InterruptedException {
        int decided = 0;
        List<Integer> staying = containers.staying();
        for (int level : new TreeSet<>(staying.stream().map(containers::level).toList())) {
            List<Integer> ids =
                    staying.stream().filter(id -> containers.level(id) == level).toList();
            decided += round(sample, level, ids) ? 1 : 0;
        }
        return decided;
    }

    private boolean round(LoadSample sample, int level, List<Integer> ids) throws InterruptedException {
        long now = clock.getAsLong();
        List<ContainerLoad> settled = sample.containers().stream()
                .filter(container -> ids.contains(container.id()))
                .filter(container -> now - container.servedSince() >= SETTLED_MILLIS)
                .toList();
        if (settled.size() < ids.size()) {
            return false;
        }
        boolean leaving = containers.all().stream().anyMatch(id -> containers.level(id) == level && !ids.contains(id));
        Decision decision = policy.decide(
                settled.stream().map(ContainerLoad::load).toList(),
                leaving,
                histories.getOrDefault(level, History.NONE),
                now);
        histories.put(level, decision.history());
        String reason = decision.reason();
        if (reason == null) {
            return false;
        }
        boolean done = set(decision.wanted(), level, reason);
        changes.add(new Change(level, ids.size(), decision.wanted(), reason, done, now));
        if (changes.size() > CHANGES_SHOWN) {
            changes.removeFirst();
        }
        return true;
    }

    private boolean set(int wanted, int level, String reason) throws InterruptedException {
        log.info("There are to be {} containers of level of durability {}: {}", wanted, level, reason);
        try {
            count.set(wanted, level);
            return true;
        } catch (InterruptedException e) {
            throw e;
        } catch (Exception e) {
            log.warn("Could not change the number of containers to {}: {}", wanted, e.getMessage());
            return false;
        }
    }
}
