package io.sluice.broker.topic;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Topics whose stored record may stand in the middle of a change, because the change or the write of it failed. Each is finished or undone
 * by itself, again and again until that succeeds, after pauses that grow. The record is the memory that lasts; a start notes what it finds.
 * Any thread.
 *
 * @param <K> name of a topic, or of what else is changed by itself
 */
public final class InterruptedChanges<K> {
    private static final Logger LOG = LoggerFactory.getLogger(InterruptedChanges.class);
    /** Names that are remembered; with more, all records are read again. */
    static final int MOST = 10_000;
    /** Longest pause. */
    private static final int MOST_ROUNDS = 16;

    private final Executor tasks;
    private final Finishing<K> finishing;
    private final Map<K, Pause> left = new HashMap<>();
    private boolean missed;

    /** The way to bring a record to rest; blocks. */
    public interface Finishing<K> {
        /**
         * Brings the topic's record to rest, and shows it, with no other change of the topic under way.
         *
         * @throws Elsewhere another process goes on with the change
         */
        void finish(K name) throws TopicException, IOException;

        /** Notes all topics whose records are not at rest, as far as there is room. */
        void noteAll() throws IOException;
    }

    /** Brings one record to rest; blocks. */
    public interface Step {
        void run() throws TopicException, IOException;
    }

    /** Another process, which is alive, goes on with the change. It is looked at again every round. */
    public static final class Elsewhere extends IOException {
        public Elsewhere(String message) {
            super(message);
        }
    }

    private enum Outcome {
        DONE,
        LEFT,
        ELSEWHERE
    }

    private static final class Pause {
        private boolean isElsewhere;
        private int rounds = 1;
        private int toGo = 1;
        private boolean isTried;
        private boolean again;
    }

    /**
     * @param tasks runs what blocks, each on a (virtual) thread of its own
     */
    public InterruptedChanges(Executor tasks, Finishing<K> finishing) {
        this.tasks = tasks;
        this.finishing = finishing;
    }

    /** The topic's record may not be at rest: the next {@link #round} looks at it. */
    public synchronized void note(K name) {
        Pause known = left.get(name);
        if (known != null) {
            known.again = true;
            known.isElsewhere = false;
        } else if (left.size() < MOST) {
            left.put(name, new Pause());
        } else {
            missed = true;
        }
    }

    /** How many topics there are whose change was cut short, as far as is known; those that are tried now among them, others' not. */
    public synchronized int count() {
        return (int) left.values().stream().filter(pause -> !pause.isElsewhere).count();
    }

    /** Has those tried whose pause is over. Complete when all of them have been, which may take as long as containers do to answer. */
    public CompletableFuture<Void> round() {
        if (takeMissed()) {
            tasks.execute(this::readAll);
        }
        List<CompletableFuture<Void>> all = new ArrayList<>();
        for (K name : due()) {
            CompletableFuture<Void> done = new CompletableFuture<>();
            all.add(done);
            tasks.execute(() -> {
                attempt(name);
                done.complete(null);
            });
        }
        return CompletableFuture.allOf(all.toArray(CompletableFuture[]::new));
    }

    private synchronized boolean takeMissed() {
        boolean taken = missed && left.size() < MOST;
        missed &= !taken;
        return taken;
    }

    private void readAll() {
        try {
            finishing.noteAll();
        } catch (IOException | RuntimeException e) {
            LOG.warn("Records of topics cannot be read now, which is tried again: {}", e.toString());
            synchronized (this) {
                missed = true;
            }
        }
    }

    private synchronized List<K> due() {
        List<K> due = new ArrayList<>();
        left.forEach((name, pause) -> {
            if (!pause.isTried && --pause.toGo <= 0) {
                pause.isTried = true;
                pause.again = false;
                due.add(name);
            }
        });
        return due;
    }

    private void attempt(K name) {
        settle(name, tryFinish(name));
    }

    private synchronized void settle(K name, Outcome outcome) {
        Pause pause = left.get(name);
        if (pause != null && outcome == Outcome.DONE && !pause.again) {
            left.remove(name);
        } else if (pause != null) {
            pause.isTried = false;
            pause.isElsewhere = outcome == Outcome.ELSEWHERE;
            pause.rounds = outcome == Outcome.LEFT ? Math.min(2 * pause.rounds, MOST_ROUNDS) : 1;
            pause.toGo = pause.rounds;
        }
    }

    /** Another process may be changing the topic: should it die, the change is finished here. */
    public synchronized void noteElsewhere(K name) {
        if (!left.containsKey(name)) {
            note(name);
            Pause noted = left.get(name);
            if (noted != null) {
                noted.isElsewhere = true;
            }
        }
    }

    /** Now. Gives whether its record is at rest; if not, that is noted. */
    public boolean tryFinishOrNote(K name) {
        Outcome outcome = tryFinish(name);
        switch (outcome) {
            case DONE -> {}
            case LEFT -> note(name);
            case ELSEWHERE -> noteElsewhere(name);
        }
        return outcome == Outcome.DONE;
    }

    /** Takes the step now; if it fails, it is noted that the topic's record is not at rest. */
    public void finishOrNote(K name, Step step) throws TopicException, IOException {
        boolean done = false;
        try {
            step.run();
            done = true;
        } finally {
            if (!done) {
                note(name);
            }
        }
    }

    private Outcome tryFinish(K name) {
        try {
            finishing.finish(name);
            return Outcome.DONE;
        } catch (Elsewhere e) {
            LOG.debug("{}: {}", name, e.getMessage());
            return Outcome.ELSEWHERE;
        } catch (TopicException | IOException e) {
            LOG.warn("An interrupted change of {} is not finished yet: {}", name, e.getMessage());
        } catch (RuntimeException e) {
            LOG.error("An interrupted change of {} is not finished yet", name, e);
        }
        return Outcome.LEFT;
    }
}
