package io.sluice.pulsar.admin;

import static io.sluice.broker.access.Operation.ALTER;
import static io.sluice.broker.access.Operation.DESCRIBE;
import static io.sluice.pulsar.admin.AdminAnswers.await;

import io.sluice.broker.log.PartitionLog;
import io.sluice.pulsar.topic.TopicAccess.Found;
import io.vertx.core.json.JsonObject;
import java.util.LinkedHashMap;
import java.util.SequencedMap;
import org.jspecify.annotations.Nullable;

/**
 * {@code .../:topic/offload}: how far a topic, or a partition, is in long-term storage. Data goes there by itself, so a request begins nothing: it
 * says up to which message the status is to be {@code RUNNING}. Without one the status says how far it is. As in Pulsar a request is
 * forgotten when the node that serves the partition stops.
 */
final class OffloadRoutes {
    private static final String TOPIC = "/admin/v2/persistent/:tenant/:namespace/:topic/offload";
    private static final int MOST_REQUESTS = 10_000;
    private static final int RUNNING_ALREADY = 409;

    private final AdminTopics topics;
    /** Offsets by partition, the oldest request first. */
    private final SequencedMap<Long, Long> requested = new LinkedHashMap<>();

    OffloadRoutes(AdminTopics topics) {
        this.topics = topics;
    }

    void add(Routes routes) {
        routes.topic(DESCRIBE).get(TOPIC, this::status);
        routes.topic(ALTER).put(TOPIC, this::request);
    }

    /** As in Pulsar there is no partition of that name where the topic is partitioned. */
    private AdminTopics.Part part(TopicRequest r) throws AdminException {
        if (r.found() instanceof Found.Partitioned p) {
            throw new AdminException(404, "Topic " + p.topic().name() + " is partitioned: name a partition");
        }
        return topics.part(r);
    }

    private Object status(TopicRequest r) throws AdminException {
        AdminTopics.Part part = part(r);
        PartitionLog log = part.log();
        Long wanted = wanted(log);
        long stored = storedEnd(log);
        if (wanted != null && stored < wanted) {
            return shown("RUNNING", -1, -1, -1);
        }
        boolean none = await(log.container().ask(() -> stored <= log.startOffset()));
        return none && wanted == null
                ? shown("NOT_RUN", -1, -1, -1)
                : shown("SUCCESS", log.ledgerAt(stored), stored, part.partition());
    }

    private static long storedEnd(PartitionLog log) throws AdminException {
        return await(log.container().ask(log::findStoredEnd));
    }

    private static JsonObject shown(String status, long ledger, long entry, int partition) {
        return new JsonObject()
                .put("status", status)
                .put("lastError", "")
                .put(
                        "firstUnoffloadedMessage",
                        new JsonObject()
                                .put("ledgerId", ledger)
                                .put("entryId", entry)
                                .put("partitionIndex", partition)
                                .put("batchIndex", -1)
                                .put("batchSize", 0));
    }

    private @Nullable Object request(TopicRequest r) throws AdminException {
        if (r.body().isBlank()) {
            throw new AdminException(400, "messageId is null");
        }
        JsonObject id = r.json();
        PartitionLog log = part(r).log();
        var named = new NamedMessage(id.getLong("ledgerId", -1L), id.getLong("entryId", -1L), -1, false);
        long offset = named.offset(log, false);
        long wanted = await(log.container().ask(() -> Math.min(offset, log.durableEnd())));
        Long before = wanted(log);
        if (before != null && storedEnd(log) < before) {
            throw new AdminException(RUNNING_ALREADY, "Offload already in progress");
        }
        want(log, wanted);
        return null;
    }

    private synchronized @Nullable Long wanted(PartitionLog log) {
        return requested.get(log.partitionId());
    }

    private synchronized void want(PartitionLog log, long offset) {
        requested.remove(log.partitionId());
        requested.put(log.partitionId(), offset);
        if (requested.size() > MOST_REQUESTS) {
            requested.pollFirstEntry();
        }
    }
}
