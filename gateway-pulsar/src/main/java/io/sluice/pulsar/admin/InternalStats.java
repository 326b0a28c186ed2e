package io.sluice.pulsar.admin;

import static io.sluice.pulsar.admin.AdminAnswers.await;

import io.sluice.broker.log.PartitionLog;
import io.sluice.broker.subscription.Cursor;
import io.sluice.pulsar.dispatch.SubscriptionView;
import io.vertx.core.json.JsonObject;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.pulsar.common.policies.data.ManagedLedgerInternalStats;
import org.apache.pulsar.common.policies.data.ManagedLedgerInternalStats.CursorStats;
import org.apache.pulsar.common.policies.data.ManagedLedgerInternalStats.LedgerInfo;
import org.apache.pulsar.common.policies.data.PersistentTopicInternalStats;
import org.jspecify.annotations.Nullable;

/** A partition's inside as Pulsar shows it: one ledger, that of the last entry; positions are offsets, entries messages. */
final class InternalStats {
    private static final long NO_LEDGER = -1;
    private static final int MOST_RANGES = 100;

    private final AdminTopics topics;

    InternalStats(AdminTopics topics) {
        this.topics = topics;
    }

    JsonObject of(AdminTopics.Part part) throws AdminException {
        PersistentTopicInternalStats stats = await(part.log().container().ask(() -> collect(part)));
        // which Pulsar 4 has, and the class of Pulsar 5 no longer
        return new JsonObject(AdminAnswer.written(stats))
                .put(
                        "properties",
                        new JsonObject(Map.copyOf(PropertyRoutes.of(part.topic().settings()))));
    }

    /** Without what only topics have in Pulsar. */
    ManagedLedgerInternalStats ledgerOf(AdminTopics.Part part) throws AdminException {
        return await(part.log().container().ask(() -> fill(new ManagedLedgerInternalStats(), part)));
    }

    private PersistentTopicInternalStats collect(AdminTopics.Part part) {
        PersistentTopicInternalStats stats = fill(new PersistentTopicInternalStats(), part);
        stats.schemaLedgers = List.of();
        stats.compactedLedger = ledger(NO_LEDGER, -1, -1);
        return stats;
    }

    private <T extends ManagedLedgerInternalStats> T fill(T stats, AdminTopics.Part part) {
        PartitionLog log = part.log();
        String created = Instant.ofEpochMilli(part.topic().createdAt()).toString();
        stats.entriesAddedCounter = log.durableEnd();
        stats.numberOfEntries = log.durableEnd() - log.startOffset();
        stats.totalSize = log.sizeBytes();
        stats.currentLedgerEntries = stats.numberOfEntries;
        stats.currentLedgerSize = stats.totalSize;
        stats.lastLedgerCreatedTimestamp = created;
        stats.lastConfirmedEntry = position(log, log.durableEnd() - 1);
        stats.state = "LedgerOpened";
        stats.ledgers = List.of(ledger(log.ledgerAt(log.durableEnd() - 1), stats.numberOfEntries, stats.totalSize));
        stats.cursors = new HashMap<>();
        for (Cursor c : log.subscriptions().all()) {
            stats.cursors.put(c.name(), idle(log, c, created));
        }
        for (SubscriptionView s : topics.view(part).subscriptions()) {
            stats.cursors.put(s.name(), connected(log, s, created, stats.cursors.get(s.name())));
            stats.waitingCursorsCount += s.readOffset() >= log.durableEnd() ? 1 : 0;
        }
        return stats;
    }

    private static LedgerInfo ledger(long id, long entries, long size) {
        LedgerInfo ledger = new LedgerInfo();
        ledger.ledgerId = id;
        ledger.entries = entries;
        ledger.size = size;
        return ledger;
    }

    private static CursorStats idle(PartitionLog log, Cursor c, String created) {
        CursorStats stats = cursor(log, c.ackedBelow(), c.nextUnacked(c.ackedBelow()), created);
        stats.totalNonContiguousDeletedMessagesRange = c.ackedRanges();
        stats.individuallyDeletedMessages = ranges(log, c);
        stats.messagesConsumedCounter = c.acked();
        return stats;
    }

    /** @param idle the same of its cursor; null without a durable one */
    private static CursorStats connected(
            PartitionLog log, SubscriptionView s, String created, @Nullable CursorStats idle) {
        CursorStats stats = cursor(log, s.ackedBelow(), s.readOffset(), created);
        stats.totalNonContiguousDeletedMessagesRange = s.ackedRanges();
        stats.individuallyDeletedMessages = idle == null ? number(s.ackedRanges()) : idle.individuallyDeletedMessages;
        stats.messagesConsumedCounter = idle == null ? s.ackedBelow() : idle.messagesConsumedCounter;
        stats.active = true;
        stats.waitingReadOp = s.readOffset() >= log.durableEnd();
        stats.subscriptionHavePendingRead = stats.waitingReadOp;
        return stats;
    }

    private static CursorStats cursor(PartitionLog log, long ackedBelow, long next, String created) {
        CursorStats stats = new CursorStats();
        stats.markDeletePosition = position(log, ackedBelow - 1);
        stats.readPosition = position(log, next);
        stats.messagesConsumedCounter = ackedBelow;
        stats.cursorLedger = NO_LEDGER;
        stats.cursorLedgerLastEntry = -1;
        stats.lastLedgerSwitchTimestamp = created;
        stats.state = "Open";
        stats.numberOfEntriesSinceFirstNotAckedMessage = next - ackedBelow + 1;
        stats.properties = Map.of();
        return stats;
    }

    private static String position(PartitionLog log, long offset) {
        return log.ledgerAt(offset) + ":" + offset;
    }

    /** Number of ranges: which they are is not known of a position that does not last. */
    private static String number(int ranges) {
        return ranges == 0 ? "[]" : "[" + ranges + " ranges]";
    }

    /** The first of the acknowledged ranges, as Pulsar writes them: an open end before each, a closed one after it. */
    private static String ranges(PartitionLog log, Cursor c) {
        List<String> shown = new ArrayList<>();
        long first = c.nextAckedAbove(c.ackedBelow());
        while (first >= 0 && shown.size() < MOST_RANGES) {
            long end = c.nextUnacked(first);
            shown.add("(" + position(log, first - 1) + ".." + position(log, end - 1) + "]");
            first = c.nextAckedAbove(end);
        }
        if (first >= 0) {
            shown.add(c.ackedRanges() - shown.size() + " more");
        }
        return "[" + String.join(",", shown) + "]";
    }
}
