package io.sluice.server.containers;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** The containers at one moment; a change makes another. Looked at for every request, so by index and without a lock. */
final class KeptContainers {
    static final KeptContainers NONE = new KeptContainers(List.of(), Set.of());

    private final @Nullable KeepContainerServed[] byId;
    private final List<KeepContainerServed> tasks;
    private final Set<Integer> leaving;
    private final List<Integer> all;
    private final List<Integer> staying;

    private KeptContainers(List<KeepContainerServed> tasks, Set<Integer> leaving) {
        this.tasks = tasks;
        this.leaving = leaving;
        all = tasks.stream().map(KeepContainerServed::id).toList();
        staying = all.stream().filter(id -> !leaving.contains(id)).toList();
        byId = new KeepContainerServed[all.isEmpty() ? 0 : all.getLast() + 1];
        tasks.forEach(task -> byId[task.id()] = task);
    }

    /** Null if there is none with this id. */
    @Nullable
    KeepContainerServed of(int id) {
        return id >= 0 && id < byId.length ? byId[id] : null;
    }

    /** By rising id. */
    List<KeepContainerServed> tasks() {
        return tasks;
    }

    List<Integer> all() {
        return all;
    }

    List<Integer> staying() {
        return staying;
    }

    /** @param task of an id above all others */
    KeptContainers with(KeepContainerServed task) {
        List<KeepContainerServed> more = new ArrayList<>(tasks);
        more.add(task);
        return new KeptContainers(List.copyOf(more), leaving);
    }

    KeptContainers without(int id) {
        Predicate<KeepContainerServed> others = task -> task.id() != id;
        return new KeptContainers(tasks.stream().filter(others).toList(), leaving);
    }

    KeptContainers withLeaving(Set<Integer> ids) {
        return new KeptContainers(tasks, Set.copyOf(ids));
    }
}
