package io.sluice.server.command;

import io.sluice.store.cluster.StoreLayout;
import io.sluice.store.state.ContainerState;
import io.sluice.store.state.SegmentState;
import io.sluice.store.state.StateReplay;
import io.sluice.store.wal.Wal;
import io.sluice.store.wal.WalException;
import io.sluice.store.wal.WalStore;
import io.sluice.tiering.audit.TierAudit;
import io.sluice.tiering.audit.TierAudit.Missing;
import io.sluice.tiering.objectstore.ObjectStore;
import io.sluice.tiering.objectstore.ObjectStoreException;
import io.sluice.tiering.objectstore.OwnerMark;
import io.sluice.tiering.objectstore.StoredObject;
import java.io.PrintWriter;
import java.util.Objects;

/** The manifests of a store that no server uses, compared with its object store. */
final class TierReport {
    private static final int DATA_MISSING = 2;

    private final TierAudit audit;
    private final TierAudit.Report found;

    private TierReport(TierAudit audit, TierAudit.Report found) {
        this.audit = audit;
        this.found = found;
    }

    /**
     * Takes each log over as a start does, so that its last owner writes nothing any more.
     *
     * @throws ObjectStoreException it cannot be read, or is another store's
     */
    static TierReport of(StoreLayout layout, WalStore logs, ObjectStore objects)
            throws ObjectStoreException, WalException {
        OwnerMark.check(objects, layout.clusterId()); // or all of another's objects would be orphans
        TierAudit audit = new TierAudit(objects, layout.nextContainer());
        for (int container : layout.containers()) {
            expect(audit, container, logs);
        }
        return new TierReport(audit, audit.compare());
    }

    private static void expect(TierAudit audit, int container, WalStore logs) throws WalException {
        try (Wal log = logs.open(container)) {
            ContainerState state = StateReplay.of(log);
            for (long id : state.segments()) {
                SegmentState segment = Objects.requireNonNull(state.segment(id));
                segment.manifest().forEach(range -> audit.expect(container, range));
            }
        }
    }

    void print(PrintWriter out) {
        for (StoredObject orphan : found.orphans()) {
            out.printf("orphan   %s  %,d bytes%n", orphan.name(), orphan.size());
        }
        for (Missing missing : found.missing()) {
            String what = missing.size() < 0 ? "is not there" : "has only " + missing.size() + " bytes";
            missing.ranges()
                    .forEach(range -> out.printf(
                            "missing  %s  %s: segment %d, positions %d to %d%n",
                            missing.object(), what, range.segment(), range.position(), range.end()));
        }
        for (StoredObject foreign : found.foreign()) {
            out.printf("foreign  %s  %,d bytes, left alone%n", foreign.name(), foreign.size());
        }
        out.printf(
                "%,d objects referenced, %,d bytes; %,d orphans, %,d bytes; %,d objects missing%n",
                found.objects(),
                found.bytes(),
                found.orphans().size(),
                found.orphanBytes(),
                found.missing().size());
        out.flush();
    }

    /** Deletes the objects that no manifest names. */
    void remove(PrintWriter out) throws ObjectStoreException {
        audit.remove(found);
        out.printf("removed %,d orphans%n", found.orphans().size());
        out.flush();
    }

    /** 0, or {@value #DATA_MISSING} if an object is missing. */
    int exitCode() {
        return found.missing().isEmpty() ? 0 : DATA_MISSING;
    }
}
