package io.sluice.store.cluster;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Metadata in memory. Several users may share one; closing does nothing. Can be told to fail. */
public final class InMemoryMetadata implements Metadata {
    private final NavigableMap<String, Versioned> records = new TreeMap<>();
    private final Watches watches = new Watches();
    private boolean failNextPut;
    private boolean failingPutIsStored;
    private boolean repeatNextPut;
    private int failingGets;
    private Runnable duringNextPut = () -> {};
    private boolean exclusive;

    /** As if no other process could have it open. */
    public synchronized InMemoryMetadata exclusive() {
        exclusive = true;
        return this;
    }

    @Override
    public synchronized boolean isExclusive() {
        return exclusive;
    }

    /** The next put throws; {@code stored} says whether it has happened all the same. */
    public synchronized void failNextPut(boolean stored) {
        failNextPut = true;
        failingPutIsStored = stored;
    }

    /** The next put is stored and then sent again, as after a lost connection: its second try finds another version. */
    public synchronized void repeatNextPut() {
        repeatNextPut = true;
    }

    /** The next reads throw. */
    public synchronized void failNextGets(int count) {
        failingGets = count;
    }

    /** Runs while the next put is under way. */
    public synchronized void duringNextPut(Runnable action) {
        duringNextPut = action;
    }

    @Override
    public synchronized @Nullable Versioned get(String path) throws IOException {
        if (failingGets > 0) {
            failingGets--;
            throw new IOException("planted: not read");
        }
        Versioned found = records.get(path);
        return found == null ? null : new Versioned(found.value().clone(), found.version());
    }

    @Override
    public synchronized long put(String path, byte[] value, long expectedVersion) throws IOException {
        Runnable meanwhile = duringNextPut;
        duringNextPut = () -> {};
        meanwhile.run();
        boolean fails = failNextPut;
        failNextPut = false;
        if (fails && !failingPutIsStored) {
            throw new IOException("planted: not written");
        }
        Versioned found = records.get(path);
        expect(path, found, expectedVersion);
        long version = found == null ? 0 : found.version() + 1;
        records.put(path, new Versioned(value.clone(), version));
        watches.changed(path);
        if (repeatNextPut) {
            repeatNextPut = false;
            expect(path, records.get(path), expectedVersion);
        }
        if (fails) {
            throw new IOException("planted: written, but the answer was lost");
        }
        return version;
    }

    @Override
    public synchronized void delete(String path, long expectedVersion) throws IOException {
        Versioned found = records.get(path);
        if (found != null) {
            expect(path, found, expectedVersion);
            records.remove(path);
            watches.changed(path);
        }
    }

    private static void expect(String path, @Nullable Versioned found, long expectedVersion) throws VersionMismatch {
        long version = found == null ? ABSENT : found.version();
        if (version != expectedVersion) {
            throw new VersionMismatch(path + " has version " + version + ", not " + expectedVersion);
        }
    }

    @Override
    public synchronized List<String> children(String path) {
        String prefix = path + "/";
        List<String> names = new ArrayList<>();
        for (String each : records.tailMap(prefix).keySet()) {
            if (!each.startsWith(prefix)) {
                break;
            }
            String name = each.substring(prefix.length()).split("/", 2)[0];
            if (names.isEmpty() || !names.getLast().equals(name)) {
                names.add(name);
            }
        }
        return names.stream().sorted().distinct().toList();
    }

    @Override
    public Watch watch(String root, Watcher watcher) {
        return watches.add(root, watcher);
    }

    @Override
    public void close() {}
}
