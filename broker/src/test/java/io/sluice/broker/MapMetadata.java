package io.sluice.broker;

import io.sluice.store.cluster.Metadata;
import io.sluice.store.cluster.Watches;
import java.io.IOException;
import java.util.List;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Metadata in a map. After {@link #crashAfter} writes, every write fails until it is called again. */
public final class MapMetadata implements Metadata {
    private final TreeMap<String, Versioned> records = new TreeMap<>();
    private final Watches watches = new Watches();
    private boolean silent;
    private long versions;
    private int writesLeft = Integer.MAX_VALUE;
    private int untilLostAnswer;

    /** Lets {@code writes} more through. */
    public synchronized void crashAfter(int writes) {
        writesLeft = writes;
    }

    /** The {@code nth} write from now on, which must be a put, happens, but whoever made it is told that it failed. */
    public synchronized void loseAnswerOf(int nth) {
        untilLostAnswer = nth;
    }

    @Override
    public synchronized @Nullable Versioned get(String path) {
        return records.get(path);
    }

    @Override
    public synchronized long put(String path, byte[] value, long expectedVersion) throws IOException {
        write(path, expectedVersion);
        records.put(path, new Versioned(value.clone(), ++versions));
        if (untilLostAnswer > 0 && --untilLostAnswer == 0) {
            throw new IOException("the metadata store did not answer");
        }
        tell(path);
        return versions;
    }

    @Override
    public synchronized void delete(String path, long expectedVersion) throws IOException {
        if (records.containsKey(path)) {
            write(path, expectedVersion);
            records.remove(path);
            tell(path);
        }
    }

    private void write(String path, long expectedVersion) throws IOException {
        if (writesLeft-- <= 0) {
            writesLeft = 0;
            throw new IOException("the metadata store is down");
        }
        Versioned now = records.get(path);
        long version = now == null ? ABSENT : now.version();
        if (version != expectedVersion) {
            throw new VersionMismatch(path + " has version " + version + ", not " + expectedVersion);
        }
    }

    @Override
    public synchronized List<String> children(String path) {
        String parent = path + "/";
        return records.tailMap(parent).keySet().stream()
                .takeWhile(p -> p.startsWith(parent))
                .map(p -> p.substring(parent.length()).split("/", 2)[0])
                .distinct()
                .toList();
    }

    private void tell(String path) {
        if (!silent) {
            watches.changed(path);
        }
    }

    /** From now on changes go untold, as while the connection is lost. */
    public synchronized void loseConnection() {
        silent = true;
    }

    /** Tells the watchers that they missed changes. */
    public synchronized void reconnect() {
        silent = false;
        watches.missed();
    }

    @Override
    public Watch watch(String root, Watcher watcher) {
        return watches.add(root, watcher);
    }

    public synchronized int size() {
        return records.size();
    }

    @Override
    public void close() {}
}
