package io.sluice.server.cluster;

import io.sluice.bookie.assembly.LedgersRoot;
import io.sluice.store.cluster.PulsarMetadata;
import io.sluice.store.cluster.StoreLayout;
import io.sluice.tiering.objectstore.ObjectStore;
import io.sluice.tiering.objectstore.ObjectStoreException;
import io.sluice.tiering.objectstore.OwnerMark;
import java.io.IOException;
import java.util.UUID;

/**
 * Makes the first metadata of a cluster: BookKeeper's root, the layout of the store, and the mark of its bucket. Safe to repeat after a
 * kill at any step, and by several at once.
 */
public final class InitCluster {
    private final PulsarMetadata metadata;
    private final ObjectStore objects;

    public InitCluster(PulsarMetadata metadata, ObjectStore objects) {
        this.metadata = metadata;
        this.objects = objects;
    }

    /**
     * Outcome of {@link #run}: the store that is there now.
     *
     * @param made whether the layout is new
     */
    public record Result(StoreLayout layout, boolean made) {}

    /**
     * Makes what is missing.
     *
     * @param containers of a new store
     * @throws RefusedException the bucket belongs to another store
     * @throws ObjectStoreException it cannot be used
     */
    public Result run(int containers) throws IOException, ObjectStoreException, RefusedException {
        ImportMark.refuse(metadata);
        // First: who makes both at the same moment leaves the mark last.
        String owner = OwnerMark.owner(objects);
        StoreLayout before = StoreLayout.read(metadata);
        if (before != null) {
            OwnerMark.check(objects, before.clusterId());
        } else if (owner != null) {
            throw new RefusedException("the bucket belongs to another store (" + owner
                    + "), and this metadata has none: give this one a bucket or prefix of its own");
        }
        LedgersRoot.createIfMissing(metadata);
        StoreLayout layout = StoreLayout.readOrInitialise(metadata, containers, UUID::randomUUID);
        OwnerMark.claim(objects, layout.clusterId());
        return new Result(layout, before == null);
    }
}
