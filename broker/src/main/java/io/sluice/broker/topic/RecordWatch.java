package io.sluice.broker.topic;

import io.sluice.store.cluster.Metadata;
import java.io.IOException;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Has read again what the metadata store says has changed: some records at a time, each by one virtual thread. Records that change often
 * are read once. A record that cannot be read is tried again by itself, after pauses that grow, and one that is being changed here is left
 * until that is over; neither holds up the others. Any thread.
 *
 * @param <K> name of a record
 */
public final class RecordWatch<K> implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(RecordWatch.class);
    private static final int PARALLEL_READS = 8;
    private static final long FIRST_PAUSE_MILLIS = 100;
    private static final long LAST_PAUSE_MILLIS = 10_000;

    private final Executor tasks;
    private final Reading<K> reading;
    private final Names<K> names;
    private final Metadata.Watch watch;

    /** At most one for each record. */
    private final Set<K> changed = new LinkedHashSet<>();
    /** Read now; a change that comes meanwhile is read afterwards. */
    private final Set<K> inHand = new HashSet<>();
    /** Milliseconds, by record that could not be read. */
    private final Map<K, Long> pauses = new HashMap<>();

    private boolean missed;
    private boolean listing;
    private long listingPause = FIRST_PAUSE_MILLIS;
    private boolean started;
    private boolean closed;
    private int readers;

    /** Reads one record, blocking. */
    public interface Reading<K> {
        /** Gives false if the record is being changed here; then {@link #note} is to be called when that is over. */
        boolean read(K name) throws IOException;
    }

    /** Lists all records there are, and those that were there when they were read last; blocking. */
    public interface Names<K> {
        Collection<K> all() throws IOException;
    }

    /**
     * Notes changes from now on.
     *
     * @param nameOf of a path below {@code root}; null where there is no such record
     * @param tasks runs what blocks, each on a (virtual) thread of its own
     */
    public RecordWatch(
            Metadata metadata,
            String root,
            Function<String, @Nullable K> nameOf,
            Executor tasks,
            Reading<K> reading,
            Names<K> names) {
        this.tasks = tasks;
        this.reading = reading;
        this.names = names;
        watch = metadata.watch(root, new Metadata.Watcher() {
            @Override
            public void changed(String path) {
                K name = nameOf.apply(path);
                if (name != null) {
                    note(name);
                }
            }

            @Override
            public void missed() {
                noteMissed();
            }
        });
    }

    /** Reads what has changed since this was made, and from now on. */
    public void start() {
        synchronized (this) {
            started = true;
        }
        readSoon();
    }

    /** The record may have changed. */
    public void note(K name) {
        synchronized (this) {
            changed.add(name);
        }
        readSoon();
    }

    private void noteMissed() {
        synchronized (this) {
            missed = true;
        }
        readSoon();
    }

    private void readSoon() {
        int more;
        synchronized (this) {
            int work = changed.size() + (missed ? 1 : 0);
            more = started && !closed ? Math.min(work, PARALLEL_READS - readers) : 0;
            readers += more;
        }
        for (int i = 0; i < more; i++) {
            tasks.execute(this::readAll);
        }
    }

    private void readAll() {
        while (true) {
            K name = null;
            synchronized (this) {
                boolean lists = missed && !listing;
                if (!lists) {
                    name = closed ? null : next();
                    if (name == null) {
                        readers--;
                        return;
                    }
                } else {
                    missed = false;
                    listing = true;
                }
            }
            if (name == null) {
                list();
            } else {
                read(name);
            }
        }
    }

    /** Null if all that has changed is read now. */
    private @Nullable K next() {
        for (K name : changed) {
            if (inHand.add(name)) {
                changed.remove(name);
                return name;
            }
        }
        return null;
    }

    private void list() {
        long pause = 0;
        try {
            Collection<K> all = names.all();
            synchronized (this) {
                changed.addAll(all);
                listingPause = FIRST_PAUSE_MILLIS;
            }
        } catch (IOException | RuntimeException e) {
            synchronized (this) {
                pause = listingPause;
                listingPause = Math.min(2 * pause, LAST_PAUSE_MILLIS);
            }
            if (pause == FIRST_PAUSE_MILLIS) {
                LOG.warn(
                        "Records that may have changed cannot be listed, which is tried until they can: {}",
                        e.toString());
            }
        }
        synchronized (this) {
            listing = false;
        }
        if (pause > 0) {
            later(pause, this::noteMissed);
        } else {
            readSoon();
        }
    }

    private void read(K name) {
        long pause = 0;
        try {
            boolean read = reading.read(name);
            if (read) {
                synchronized (this) {
                    pauses.remove(name);
                }
            }
        } catch (IOException | RuntimeException e) {
            synchronized (this) {
                pause = pauses.getOrDefault(name, FIRST_PAUSE_MILLIS);
                pauses.put(name, Math.min(2 * pause, LAST_PAUSE_MILLIS));
            }
            if (pause == FIRST_PAUSE_MILLIS) {
                LOG.warn("The record of {} cannot be read, which is tried until it can: {}", name, e.toString());
            }
        }
        synchronized (this) {
            inHand.remove(name);
        }
        if (pause > 0) {
            later(pause, () -> note(name));
        }
    }

    private void later(long millis, Runnable task) {
        CompletableFuture.delayedExecutor(millis, TimeUnit.MILLISECONDS, tasks).execute(task);
    }

    @Override
    public void close() {
        watch.close();
        synchronized (this) {
            closed = true;
        }
    }
}
