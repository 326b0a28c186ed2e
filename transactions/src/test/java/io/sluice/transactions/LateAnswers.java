package io.sluice.transactions;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Answers of coordinators on their way: most are there at once, the others at any time, also when their coordinator is gone. */
final class LateAnswers {
    private final Random random;
    private final List<Runnable> underWay = new ArrayList<>();

    LateAnswers(Random random) {
        this.random = random;
    }

    void give(Runnable answer) {
        if (random.nextInt(4) == 0) {
            underWay.add(answer);
        } else {
            answer.run();
        }
    }

    boolean isEmpty() {
        return underWay.isEmpty();
    }

    /** One of them arrives. */
    void arrive() {
        underWay.remove(random.nextInt(underWay.size())).run();
    }
}
