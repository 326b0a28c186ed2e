package io.sluice.tiering;

import io.sluice.store.container.Tasks;
import java.util.ArrayList;
import java.util.List;
import java.util.random.RandomGenerator;

/** Tasks that run when the test says so, in any order. */
final class SteppedTasks implements Tasks {
    private final RandomGenerator random;
    private final List<Runnable> waiting = new ArrayList<>();
    private final List<String> names = new ArrayList<>();

    SteppedTasks(RandomGenerator random) {
        this.random = random;
    }

    @Override
    public void start(String name, Runnable task) {
        names.add(name);
        waiting.add(task);
    }

    /** Runs one of them. Returns how many. */
    int runOne() {
        if (waiting.isEmpty()) {
            return 0;
        }
        int which = random.nextInt(waiting.size());
        names.remove(which);
        waiting.remove(which).run();
        return 1;
    }

    void runAll() {
        while (runOne() > 0) {
            // until none is left
        }
    }

    long waiting(String prefix) {
        return names.stream().filter(name -> name.startsWith(prefix)).count();
    }
}
