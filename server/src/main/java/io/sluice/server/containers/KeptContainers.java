package io.sluice.server.containers;

import io.sluice.store.cluster.StoreLayout;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The containers at one moment, those of the store and those that are kept served here; a change makes another. Looked at for every request,
 * so by index and without a lock.
 */
final class KeptContainers {
    private final StoreLayout layout;
    private final @Nullable KeepContainerServed[] byId;
    private final List<KeepContainerServed> tasks;
    private final List<Integer> all;
    private final List<Integer> staying;

    private KeptContainers(StoreLayout layout, List<KeepContainerServed> tasks) {
        this.layout = layout;
        this.tasks = tasks;
        all = layout.containers();
        staying = layout.staying();
        byId = new KeepContainerServed[tasks.isEmpty() ? 0 : tasks.getLast().id() + 1];
        tasks.forEach(task -> byId[task.id()] = task);
    }

    static KeptContainers none(StoreLayout layout) {
        return new KeptContainers(layout, List.of());
    }

    StoreLayout layout() {
        return layout;
    }

    /** Null if there is none with this id here. */
    @Nullable
    KeepContainerServed of(int id) {
        return id >= 0 && id < byId.length ? byId[id] : null;
    }

    /** Tasks of those that are kept served here, by rising id. */
    List<KeepContainerServed> tasks() {
        return tasks;
    }

    /** All of the store. */
    List<Integer> all() {
        return all;
    }

    /** All of the store but those that are to be removed. */
    List<Integer> staying() {
        return staying;
    }

    KeptContainers with(KeepContainerServed task) {
        List<KeepContainerServed> more = new ArrayList<>(tasks);
        more.add(task);
        more.sort(Comparator.comparingInt(KeepContainerServed::id));
        return new KeptContainers(layout, List.copyOf(more));
    }

    KeptContainers without(int id) {
        Predicate<KeepContainerServed> others = task -> task.id() != id;
        return new KeptContainers(layout, tasks.stream().filter(others).toList());
    }

    KeptContainers within(StoreLayout changed) {
        return new KeptContainers(changed, tasks);
    }
}
