package io.sluice.server.cluster;

import io.sluice.bookie.assembly.LedgerIds;
import io.sluice.store.cluster.Metadata;
import io.sluice.store.cluster.PulsarMetadata;
import io.sluice.store.cluster.StoreLayout;
import io.sluice.tiering.objectstore.ObjectStore;
import io.sluice.tiering.objectstore.ObjectStoreException;
import io.sluice.tiering.objectstore.OwnerMark;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Brings the store of a standalone server, which is stopped, into the metadata and the bucket of a cluster. The journal stays where it is: a
 * bookie of the cluster is started on it.
 *
 * <pre>
 *   mark in the metadata ─► objects ─► records ─► counter of ledgers ─► mark in the folder ─► layout ─► no mark in the metadata
 *   └────────── standalone may start again, and this be repeated ─────┘ └────────── only this may be repeated ────────────┘
 * </pre>
 *
 * <p>The layout comes last, for with it a server would take the store for whole. What was changed by a standalone server between two tries is
 * copied by the second.
 */
public final class ImportStandalone {
    private static final String INSTANCE_ID = "/ledgers/INSTANCEID";

    private final Source source;
    private final PulsarMetadata metadata;
    private final String metadataUrl;
    private final ObjectStore objects;

    /**
     * Where the store is.
     *
     * @param folder data folder, locked by the caller
     * @param objects its long-term storage
     */
    public record Source(Path folder, PulsarMetadata metadata, ObjectStore objects) {}

    /**
     * Outcome.
     *
     * @param records that the metadata has now
     * @param objects that were copied; the others were there
     */
    public record Result(StoreLayout layout, int records, int objects) {}

    public ImportStandalone(Source source, PulsarMetadata metadata, String metadataUrl, ObjectStore objects) {
        this.source = source;
        this.metadata = metadata;
        this.metadataUrl = metadataUrl;
        this.objects = objects;
    }

    /**
     * Copies what is not there yet.
     *
     * @throws RefusedException the folder, the metadata or the bucket is another store's
     * @throws IOException it was interrupted, and may be repeated; so it is after an {@link ObjectStoreException}
     */
    public Result run() throws IOException, ObjectStoreException, RefusedException {
        StoreLayout layout = StoreLayout.read(source.metadata());
        if (layout == null) {
            throw new RefusedException("there is no store in " + source.folder() + ": no server has used the folder");
        }
        UUID cluster = layout.clusterId();
        StoreLayout there = StoreLayout.read(metadata);
        boolean copies = check(cluster, there);
        if (there != null) {
            // or a try was interrupted before its last step
            ImportMark.delete(metadata);
            return new Result(there, 0, 0);
        }
        ImportMark.write(metadata, cluster);
        int copied = 0;
        if (copies) {
            OwnerMark.claim(objects, cluster);
            copied = new CopyObjects(source.objects(), objects).run();
        }
        int records = new CopyRecords(source.metadata(), metadata).run();
        LedgerIds.advance(source.metadata(), metadata);
        new ImportedFolder(cluster, metadataUrl).write(source.folder());
        new CopyRecords(source.metadata(), metadata).copy(StoreLayout.PATH);
        ImportMark.delete(metadata);
        return new Result(layout, records, copied);
    }

    /**
     * Refuses to mix two stores.
     *
     * @param there layout of the metadata that is to take the store
     * @return whether objects are to be copied
     */
    private boolean check(UUID cluster, @Nullable StoreLayout there)
            throws IOException, ObjectStoreException, RefusedException {
        UUID importing = ImportMark.read(metadata);
        if (there != null && !there.clusterId().equals(cluster) || importing != null && !importing.equals(cluster)) {
            throw new RefusedException("the metadata at " + metadataUrl + " has another store ("
                    + (there == null ? importing : there.clusterId()) + "): give this one a path of its own");
        }
        ImportedFolder before = ImportedFolder.read(source.folder());
        if (before != null && !before.metadata().equals(metadataUrl)) {
            throw new RefusedException(before.refusal(source.folder()));
        }
        if (!sameBookKeeper()) {
            throw new RefusedException(
                    "bookies have registered at " + metadataUrl
                            + " already, and their ledgers have other numbers: give the store a path of its own, before any bookie");
        }
        String from = OwnerMark.owner(source.objects());
        String to = OwnerMark.owner(objects);
        if (to != null && !to.equals(cluster.toString())) {
            throw new RefusedException(
                    "the bucket belongs to another store (" + to + "): give this one a bucket or prefix of its own");
        }
        if (!Objects.equals(from, cluster.toString())) {
            if (to == null) {
                throw new RefusedException(
                        "the long-term storage of " + source.folder()
                                + " is not where it was looked for: give --from-config the settings that standalone was started with");
            }
            return false; // standalone had it in this bucket
        }
        return true;
    }

    private boolean sameBookKeeper() throws IOException {
        Metadata.Versioned there = metadata.get(INSTANCE_ID);
        Metadata.Versioned own = source.metadata().get(INSTANCE_ID);
        return there == null || own != null && Arrays.equals(there.value(), own.value());
    }
}
