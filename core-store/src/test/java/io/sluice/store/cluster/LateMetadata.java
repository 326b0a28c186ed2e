package io.sluice.store.cluster;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/**
 * The view that one process has of metadata it shares with others: its watchers are told of changes late, in any order, or not at all, as
 * the test has it. Any thread.
 */
public final class LateMetadata implements Metadata {
    private final Metadata shared;
    private final List<Watcher> watchers = new ArrayList<>();
    private final List<Runnable> untold = new ArrayList<>();
    private boolean held;
    private boolean lost;

    public LateMetadata(Metadata shared) {
        this.shared = shared;
    }

    /** From now on changes wait until they are told by {@link #tellOne} or {@link #release}. */
    public synchronized void hold() {
        held = true;
    }

    /** Tells one of the changes that wait; false if there is none. */
    public boolean tellOne(Random random) {
        Runnable one;
        synchronized (this) {
            if (untold.isEmpty()) {
                return false;
            }
            one = untold.remove(random.nextInt(untold.size()));
        }
        one.run();
        return true;
    }

    /** Tells the changes that wait, and others at once from now on. */
    public void release() {
        List<Runnable> all;
        synchronized (this) {
            held = false;
            all = List.copyOf(untold);
            untold.clear();
        }
        all.forEach(Runnable::run);
    }

    /** Changes that wait, and those to come until {@link #reconnect}, are never told. */
    public synchronized void lose() {
        lost = true;
        untold.clear();
    }

    /** Tells that changes were missed, if there may be any. */
    public void reconnect() {
        List<Watcher> all;
        synchronized (this) {
            if (!lost) {
                return;
            }
            lost = false;
            all = List.copyOf(watchers);
        }
        all.forEach(Watcher::missed);
    }

    public synchronized boolean isLost() {
        return lost;
    }

    private void changed(Watcher watcher, String path) {
        synchronized (this) {
            if (lost) {
                return;
            }
            if (held) {
                untold.add(() -> watcher.changed(path));
                return;
            }
        }
        watcher.changed(path);
    }

    @Override
    public @Nullable Versioned get(String path) throws IOException {
        return shared.get(path);
    }

    @Override
    public long put(String path, byte[] value, long expectedVersion) throws IOException {
        return shared.put(path, value, expectedVersion);
    }

    @Override
    public void delete(String path, long expectedVersion) throws IOException {
        shared.delete(path, expectedVersion);
    }

    @Override
    public List<String> children(String path) throws IOException {
        return shared.children(path);
    }

    @Override
    public Watch watch(String root, Watcher watcher) {
        synchronized (this) {
            watchers.add(watcher);
        }
        Watch watch = shared.watch(root, new Watcher() {
            @Override
            public void changed(String path) {
                LateMetadata.this.changed(watcher, path);
            }

            @Override
            public void missed() {
                watcher.missed();
            }
        });
        return () -> {
            watch.close();
            synchronized (this) {
                watchers.remove(watcher);
            }
        };
    }

    @Override
    public void close() {}
}
