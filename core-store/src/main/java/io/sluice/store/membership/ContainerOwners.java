package io.sluice.store.membership;

import io.sluice.store.cluster.ContainerLease;
import io.sluice.store.cluster.Metadata;
import io.sluice.store.cluster.NodeIdentity;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Which process holds the lease of which container, as this process knows it: read again when the metadata tells of a change, and all of it
 * when changes may have gone untold. {@link #look} is for one thread; all else for any.
 */
public final class ContainerOwners implements AutoCloseable {
    private static final String ROOT = "/sluice/containers";

    private final Metadata metadata;
    private final Map<Integer, Owner> owners = new ConcurrentHashMap<>();
    private final Set<Integer> changed = ConcurrentHashMap.newKeySet();
    private final Metadata.Watch watch;
    private volatile boolean missed = true;

    /**
     * Holder of a container's lease.
     *
     * @param serving it has recovered the container
     * @param term that it serves in; of a holder that does not serve yet, the last term that is known; -1 if none is
     */
    public record Owner(NodeIdentity process, boolean serving, long term) {}

    /** @param told called with a container whose lease has changed hands, so that {@link #look} should be called soon; must not block */
    public ContainerOwners(Metadata metadata, IntConsumer told, Runnable wake) {
        this.metadata = metadata;
        watch = metadata.watch(ROOT, new Metadata.Watcher() {
            @Override
            public void changed(String path) {
                int container = containerOf(path);
                if (container >= 0) {
                    changed.add(container);
                    told.accept(container);
                    wake.run();
                }
            }

            @Override
            public void missed() {
                missed = true;
                wake.run();
            }
        });
    }

    /** -1 if it is not the path of a lease. */
    private static int containerOf(String path) {
        String[] names = path.substring(ROOT.length() + 1).split("/", -1);
        try {
            int container = Integer.parseInt(names[0]);
            return ContainerLease.path(container).equals(path) ? container : -1;
        } catch (NumberFormatException e) {
            return -1;
        }
    }

    /** Has all of it read again at the next look. */
    public void readAll() {
        missed = true;
    }

    /**
     * Reads what has changed.
     *
     * @param containers of the store
     * @return whether an owner is another one now
     */
    public boolean look(List<Integer> containers) throws IOException {
        if (missed) {
            missed = false;
            changed.addAll(containers);
        }
        boolean different = owners.keySet().retainAll(Set.copyOf(containers));
        List<Integer> read = List.copyOf(new TreeSet<>(changed));
        changed.removeAll(read);
        try {
            List<Metadata.@Nullable Versioned> stored =
                    metadata.getAll(read.stream().map(ContainerLease::path).toList());
            for (int each = 0; each < read.size(); each++) {
                different |= know(read.get(each), owner(stored.get(each)));
            }
        } catch (IOException | RuntimeException e) {
            changed.addAll(read);
            throw e;
        }
        return different;
    }

    private boolean know(int container, @Nullable Owner now) {
        if (now == null) {
            return owners.remove(container) != null;
        }
        Owner before = owners.get(container);
        var known = now.serving() || before == null ? now : new Owner(now.process(), false, before.term());
        return !known.equals(owners.put(container, known));
    }

    /** Owner as it is stored, dead or alive; null if there is none. Blocks. */
    public static @Nullable Owner read(Metadata metadata, int container) throws IOException {
        return owner(metadata.get(ContainerLease.path(container)));
    }

    private static @Nullable Owner owner(Metadata.@Nullable Versioned stored) throws IOException {
        HolderRecord record = stored == null ? null : HolderRecord.decode(stored.value());
        return record == null || !record.isHeld()
                ? null
                : new Owner(record.holder(), record.state() == HolderRecord.State.SERVING, record.term());
    }

    public @Nullable Owner of(int container) {
        return owners.get(container);
    }

    @Override
    public void close() {
        watch.close();
    }
}
