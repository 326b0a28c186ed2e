package io.sluice.server.verify;

import io.sluice.bookie.embedded.StoredJournal;
import io.sluice.bookie.journal.JournalCheck;
import io.sluice.broker.topic.StoredTopic;
import io.sluice.broker.topic.Topic;
import io.sluice.store.cluster.Metadata;
import io.sluice.store.cluster.PulsarMetadata;
import io.sluice.store.cluster.StoreLayout;
import io.sluice.store.cluster.StoredRecords;
import io.sluice.store.state.BrokenInvariant;
import io.sluice.store.state.ContainerState;
import io.sluice.store.state.SegmentState;
import io.sluice.store.tier.TierRange;
import io.sluice.store.wal.bookkeeper.StoredChain;
import io.sluice.tiering.objectstore.ObjectStore;
import io.sluice.tiering.objectstore.ObjectStoreException;
import io.sluice.tiering.objectstore.OwnerMark;
import io.sluice.tiering.verify.VerifyObjects;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Looks a store through from the top down: metadata, the journal, every container's state as a recovery would rebuild it, and
 * what that state names in the tier. One place that is damaged does not keep it from looking at the others.
 */
public final class VerifyData {
    private static final String ROOT = "/sluice";

    private final PulsarMetadata metadata;
    private final ObjectStore objects;
    private final boolean checksums;
    private final Report report = new Report();
    private final Map<String, Topic> topics = new HashMap<>();
    private final Map<Integer, ContainerState> states = new HashMap<>();
    private int records;

    /**
     * @param metadata is not written to by this; may be a copy
     * @param checksums read every byte that the tier is to have, too
     */
    public VerifyData(PulsarMetadata metadata, ObjectStore objects, boolean checksums) {
        this.metadata = metadata;
        this.objects = objects;
        this.checksums = checksums;
    }

    /** @param bookie the bookie's folder */
    public Report run(Path bookie) {
        StoreLayout layout = metadata();
        if (layout == null) {
            return report;
        }
        try {
            OwnerMark.check(objects, layout.clusterId());
        } catch (ObjectStoreException e) {
            report.finding("tier", String.valueOf(e.getMessage()));
        }
        try (StoredJournal journal = StoredJournal.read(bookie, metadata)) {
            journal(journal);
            for (int container : layout.containers()) {
                container(container, journal);
            }
        } catch (IOException e) {
            report.finding("journal in " + bookie, "cannot be read: " + e.getMessage());
        }
        topics.forEach((path, topic) -> topic(topic, layout));
        return report;
    }

    // ---- metadata ----

    private @Nullable StoreLayout metadata() {
        try {
            StoredRecords.forEach(metadata, ROOT, this::record);
            StoreLayout layout = StoreLayout.read(metadata);
            if (layout == null) {
                report.finding("metadata", "there is no store: the record of its layout is missing");
                return null;
            }
            report.line("Store      " + layout.clusterId() + ", "
                    + layout.containers().size() + " containers");
            report.line("Metadata   " + records + " records, " + topics.size() + " topics");
            return layout;
        } catch (IOException e) {
            report.finding("metadata", String.valueOf(e.getMessage()));
            return null;
        }
    }

    private void record(String path) {
        try {
            Metadata.Versioned stored = metadata.get(path);
            if (stored == null) {
                return;
            }
            records++;
            StoredRecords.check(path, stored.value());
            if (StoredTopic.isPath(path) && stored.value().length > 0) {
                topics.put(path, StoredTopic.decode(stored.value()));
            }
        } catch (IOException e) {
            report.finding("metadata, record " + path, String.valueOf(e.getMessage()));
        }
    }

    private void topic(Topic topic, StoreLayout layout) {
        for (int partition = 0; partition < topic.partitions().size(); partition++) {
            Topic.Placement placement = topic.partitions().get(partition);
            ContainerState state = states.get(placement.container());
            if (!layout.containers().contains(placement.container())) {
                report.finding(
                        "topic " + topic.name() + ", partition " + partition,
                        "the store has no container " + placement.container());
            }
            boolean madeOnUse = topic.isElastic() && placement.earlier().isEmpty();
            if (state != null && !madeOnUse && state.segment(placement.segment()) == null) {
                report.finding(
                        "topic " + topic.name() + ", partition " + partition,
                        "segment " + placement.segment() + " is not in container " + placement.container());
            }
        }
    }

    // ---- the log ----

    private void journal(StoredJournal journal) {
        JournalCheck.Result result = journal.result();
        JournalCheck.Place cut = result.cut();
        report.line("Journal    " + journal.entries() + " entries of ledgers that are alive"
                + (cut != null && result.missing().isEmpty() && !result.cutIsFlip()
                        ? "; half-written from byte " + cut.at() + " of "
                                + cut.file().getFileName() + " on, which the next start cuts off"
                        : ""));
        for (JournalCheck.Damage damage : result.damages()) {
            boolean torn = cut != null && damage.file().equals(cut.file()) && damage.at() == cut.at();
            if (!torn || !result.missing().isEmpty() || result.cutIsFlip()) {
                report.finding("journal file " + damage.file() + ", byte " + damage.at(), damage.what());
            }
        }
        for (JournalCheck.Missing missing : result.missing()) {
            report.finding(
                    "journal, BookKeeper's ledger " + missing.ledger(),
                    "entry " + missing.entry() + " was acknowledged and is not there");
        }
    }

    private void container(int container, StoredJournal journal) {
        try {
            StoredChain chain = StoredChain.read(metadata, container);
            if (chain == null) {
                report.line("Container " + container + ": never opened");
                return;
            }
            ContainerLog log = new ContainerLog(container, journal, report);
            ContainerState state = log.replay(chain);
            if (state == null) {
                report.line("Container " + container + ": its log cannot be replayed, so its tier is not looked at");
                return;
            }
            states.put(container, state);
            tier(container, chain, log, state);
        } catch (IOException e) {
            report.finding("metadata, container " + container, String.valueOf(e.getMessage()));
        }
    }

    // ---- the tier ----

    private void tier(int container, StoredChain chain, ContainerLog log, ContainerState state) {
        long untiered = 0;
        long tiered = 0;
        try {
            VerifyObjects tier = VerifyObjects.of(objects, container, checksums);
            for (long id : state.segments()) {
                SegmentState segment = Objects.requireNonNull(state.segment(id));
                untiered += segment.length() - segment.tieredLength();
                tiered += segment(container, segment, tier);
            }
            report.line("Container " + container + ": term " + chain.term() + ", " + state.segments().length
                    + " segments, " + chain.ledgers().size() + " ledgers of " + Report.size(log.bytes()) + " ("
                    + Report.size(untiered) + " not in the tier), tier " + Report.size(tiered) + " in " + tier.count()
                    + " objects, " + tier.unnamed() + " of them named by no segment");
        } catch (ObjectStoreException e) {
            report.finding("tier, container " + container, e.getMessage());
        }
    }

    private long segment(int container, SegmentState segment, VerifyObjects tier) {
        String where = "container " + container + ", segment " + segment.segment();
        try {
            segment.check();
        } catch (BrokenInvariant broken) {
            report.finding(where, String.valueOf(broken.getMessage()));
        }
        long bytes = 0;
        for (TierRange range : segment.manifest()) {
            bytes += range.length();
            tier.check(range)
                    .forEach(what -> report.finding(
                            where + ", range of " + range.length() + " bytes at " + range.position(), what));
        }
        return bytes;
    }
}
