package io.sluice.store.cluster;

import io.sluice.store.cluster.Metadata.Watch;
import io.sluice.store.cluster.Metadata.Watcher;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** The watches on one metadata store, for implementations of {@link Metadata}. Any thread. */
public final class Watches {
    private final List<Watched> all = new CopyOnWriteArrayList<>();

    /** See {@link Metadata#watch}. */
    public Watch add(String root, Watcher watcher) {
        Watched watched = new Watched(root + "/", watcher);
        all.add(watched);
        return () -> all.remove(watched);
    }

    /** To be called when the change is committed. */
    public void changed(String path) {
        for (Watched each : all) {
            if (path.startsWith(each.prefix)) {
                each.watcher.changed(path);
            }
        }
    }

    /** To be called when changes may have gone unseen. */
    public void missed() {
        all.forEach(each -> each.watcher.missed());
    }

    public void clear() {
        all.clear();
    }

    /** Two watches are never the same, even of one root by one watcher. */
    private static final class Watched {
        private final String prefix;
        private final Watcher watcher;

        Watched(String prefix, Watcher watcher) {
            this.prefix = prefix;
            this.watcher = watcher;
        }
    }
}
