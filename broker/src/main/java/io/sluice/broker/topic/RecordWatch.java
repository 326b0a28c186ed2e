package io.sluice.broker.topic;

import io.sluice.store.cluster.Metadata;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Has read again what the metadata store says has changed, one record after the other on a virtual thread.
 * Records that change often are read once. A read that fails is tried again, as long as it takes.
 */
final class RecordWatch<K> implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(RecordWatch.class);
    private static final long RETRY_MILLIS = 500;

    private final Executor tasks;
    private final Reading<K> one;
    private final ReadingAll all;
    private final Metadata.Watch watch;
    private final CountDownLatch closed = new CountDownLatch(1);

    /** At most one for each record. */
    private final Set<K> changed = new LinkedHashSet<>();

    private boolean missed;
    /** Also until {@link #start}. */
    private boolean busy = true;

    /** Reads one record, blocking. */
    interface Reading<K> {
        void read(K name) throws IOException;
    }

    /** Reads all records, blocking. */
    interface ReadingAll {
        void read() throws IOException;
    }

    /**
     * Notes changes from now on.
     *
     * @param nameOf of a path below {@code root}; null where there is no such record
     */
    RecordWatch(
            Metadata metadata,
            String root,
            Function<String, @Nullable K> nameOf,
            Executor tasks,
            Reading<K> one,
            ReadingAll all) {
        this.tasks = tasks;
        this.one = one;
        this.all = all;
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
    void start() {
        synchronized (this) {
            busy = false;
        }
        readSoon();
    }

    private void note(K name) {
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
        synchronized (this) {
            if (busy || !hasWork()) {
                return;
            }
            busy = true;
        }
        tasks.execute(this::readAll);
    }

    private boolean hasWork() {
        return closed.getCount() > 0 && (missed || !changed.isEmpty());
    }

    private void readAll() {
        while (true) {
            boolean everything;
            List<K> names;
            synchronized (this) {
                if (!hasWork()) {
                    busy = false;
                    return;
                }
                everything = missed;
                names = new ArrayList<>(changed);
                missed = false;
                changed.clear();
            }
            try {
                if (everything) {
                    all.read();
                } else {
                    for (K name : names) {
                        one.read(name);
                    }
                }
            } catch (IOException | RuntimeException e) {
                LOG.warn("Changed records cannot be read now and are tried again: {}", e.toString());
                synchronized (this) {
                    missed |= everything;
                    changed.addAll(names);
                }
                pause();
            }
        }
    }

    private void pause() {
        try {
            closed.await(RETRY_MILLIS, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            close();
        }
    }

    @Override
    public void close() {
        watch.close();
        closed.countDown();
    }
}
