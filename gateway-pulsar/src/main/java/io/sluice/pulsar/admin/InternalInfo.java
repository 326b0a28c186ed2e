package io.sluice.pulsar.admin;

import static io.sluice.pulsar.admin.AdminAnswers.await;

import io.sluice.broker.log.PartitionLog;
import io.sluice.broker.subscription.Cursor;
import io.sluice.pulsar.topic.TopicAccess.Found;
import io.sluice.pulsar.topic.TopicLists;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.List;

/** {@code .../internal-info}: what is stored of a topic, in the words of Pulsar's managed ledger. A partition is one ledger here. */
final class InternalInfo {
    private static final DateTimeFormatter DATES = DateTimeFormatter.ofPattern("yyyy-MM-dd'T'HH:mm:ss.SSSXXX");

    private final AdminTopics topics;

    InternalInfo(AdminTopics topics) {
        this.topics = topics;
    }

    Object of(TopicRequest r) throws AdminException {
        if (!(r.found() instanceof Found.Partitioned found)) {
            return of(topics.part(r));
        }
        List<JsonObject> each =
                topics.each(r, found.topic(), this::of, node -> new JsonObject(node.get("internal-info")));
        JsonObject partitions = new JsonObject();
        for (int p = 0; p < each.size(); p++) {
            partitions.put(TopicLists.nameOf(found.topic().name(), p), each.get(p));
        }
        return new JsonObject().put("version", 0).put("partitions", partitions);
    }

    private static JsonObject record(long created) {
        String date = ZonedDateTime.ofInstant(Instant.ofEpochMilli(created), ZoneId.systemDefault())
                .format(DATES);
        return new JsonObject().put("version", 0).put("creationDate", date).put("modificationDate", date);
    }

    private JsonObject of(AdminTopics.Part part) throws AdminException {
        PartitionLog log = part.log();
        return await(log.container().ask(() -> {
            long end = log.durableEnd();
            JsonObject info = record(part.topic().createdAt())
                    .put(
                            "ledgers",
                            new JsonArray()
                                    .add(new JsonObject()
                                            .put("ledgerId", log.ledgerAt(Math.max(0, end - 1)))
                                            .put("entries", end - log.startOffset())
                                            .put("size", log.sizeBytes())
                                            .put("timestamp", part.topic().createdAt())
                                            .put("isOffloaded", false)));
            if (log.isTerminated()) {
                info.put("terminatedPosition", position(log, end - 1));
            }
            JsonObject cursors = new JsonObject();
            for (Cursor cursor : log.subscriptions().all()) {
                cursors.put(cursor.name(), cursor(log, cursor, part.topic().createdAt()));
            }
            return info.put("cursors", cursors);
        }));
    }

    private static JsonObject cursor(PartitionLog log, Cursor cursor, long created) {
        return record(created).put("cursorsLedgerId", -1).put("markDelete", position(log, cursor.ackedBelow() - 1));
    }

    private static JsonObject position(PartitionLog log, long offset) {
        return new JsonObject().put("ledgerId", log.ledgerAt(offset)).put("entryId", offset);
    }
}
