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
 */
public final class InterruptedChanges {
    private static final Logger LOG = LoggerFactory.getLogger(InterruptedChanges.class);
    /** Names that are remembered; with more, all records are read again. */
    static final int MOST = 10_000;
    /** Longest pause. */
    private static final int MOST_ROUNDS = 16;

    private final ChangesByName changes;
    private final Executor tasks;
    private final Finishing finishing;
    private final Map<TopicName, Pause> left = new HashMap<>();
    private boolean missed;

    /** What is done with a record; blocks. */
    public interface Finishing {
        /** Brings the topic's record to rest, and shows it. With no change of the topic under way. */
        void finish(TopicName name) throws TopicException, IOException;

        /** Notes all topics whose records are not at rest, as far as there is room. */
        void noteAll() throws IOException;
    }

    private static final class Pause {
        private int rounds = 1;
        private int toGo = 1;
        private boolean isTried;
        private boolean again;
    }

    /**
     * @param changes also those that fail
     * @param tasks runs what blocks, each on a (virtual) thread of its own
     */
    public InterruptedChanges(ChangesByName changes, Executor tasks, Finishing finishing) {
        this.changes = changes;
        this.tasks = tasks;
        this.finishing = finishing;
    }

    /** The topic's record may not be at rest: the next {@link #round} looks at it. */
    public synchronized void note(TopicName name) {
        Pause known = left.get(name);
        if (known != null) {
            known.again = true;
        } else if (left.size() < MOST) {
            left.put(name, new Pause());
        } else {
            missed = true;
        }
    }

    /** How many topics there are whose change was cut short, as far as is known; those that are tried now among them. */
    public synchronized int count() {
        return left.size();
    }

    /** Has those tried whose pause is over. Complete when all of them have been, which may take as long as containers do to answer. */
    public CompletableFuture<Void> round() {
        if (takeMissed()) {
            tasks.execute(this::readAll);
        }
        List<CompletableFuture<Void>> all = new ArrayList<>();
        for (TopicName name : due()) {
            CompletableFuture<Void> done = new CompletableFuture<>();
            all.add(done);
            tasks.execute(() -> {
                changes.locked(name, () -> attempt(name));
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

    private synchronized List<TopicName> due() {
        List<TopicName> due = new ArrayList<>();
        left.forEach((name, pause) -> {
            if (!pause.isTried && --pause.toGo <= 0) {
                pause.isTried = true;
                pause.again = false;
                due.add(name);
            }
        });
        return due;
    }

    private boolean attempt(TopicName name) {
        boolean done = tryFinish(name);
        synchronized (this) {
            Pause pause = left.get(name);
            if (pause != null && done && !pause.again) {
                left.remove(name);
            } else if (pause != null) {
                pause.isTried = false;
                pause.rounds = done ? 1 : Math.min(2 * pause.rounds, MOST_ROUNDS);
                pause.toGo = pause.rounds;
            }
        }
        return done;
    }

    /** Now, with no change of the topic under way. Gives whether its record is at rest; if not, that is noted. */
    public boolean tryFinishOrNote(TopicName name) {
        boolean done = tryFinish(name);
        if (!done) {
            note(name);
        }
        return done;
    }

    private boolean tryFinish(TopicName name) {
        try {
            finishing.finish(name);
            return true;
        } catch (TopicException | IOException e) {
            LOG.warn("An interrupted change of topic {} is not finished yet: {}", name, e.getMessage());
        } catch (RuntimeException e) {
            LOG.error("An interrupted change of topic {} is not finished yet", name, e);
        }
        return false;
    }
}
