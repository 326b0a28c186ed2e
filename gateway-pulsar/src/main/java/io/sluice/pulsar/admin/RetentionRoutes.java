package io.sluice.pulsar.admin;

import static io.sluice.broker.access.Operation.ALTER_CONFIGS;
import static io.sluice.broker.access.Operation.DESCRIBE_CONFIGS;
import static io.sluice.pulsar.admin.AdminAnswers.await;

import io.sluice.broker.retention.Retention;
import io.sluice.broker.topic.Topic;
import io.vertx.core.json.JsonObject;
import java.util.HashMap;
import java.util.Map;
import org.apache.pulsar.common.policies.data.RetentionPolicies;
import org.jspecify.annotations.Nullable;

/**
 * {@code .../:topic/retention}: how long a topic keeps what every subscription has acknowledged, shared with Kafka's
 * {@code retention.ms} and {@code retention.bytes}. Differences on purpose: the size holds per partition, as Kafka counts
 * it, and there are no policies of namespaces, so what is applied to a topic without one is the server's.
 */
final class RetentionRoutes {
    private static final String TOPIC = "/admin/v2/persistent/:tenant/:namespace/:topic/retention";
    private static final String MINUTES = "retentionTimeInMinutes";
    private static final String MEGABYTES = "retentionSizeInMB";
    private static final long MILLIS_PER_MINUTE = 60_000;
    private static final long BYTES_PER_MEGABYTE = 1 << 20;

    private final AdminTopics topics;

    RetentionRoutes(AdminTopics topics) {
        this.topics = topics;
    }

    void add(Routes routes) {
        routes.wholeTopic(DESCRIBE_CONFIGS).get(TOPIC, this::get);
        var change = routes.wholeTopic(ALTER_CONFIGS);
        change.post(TOPIC, this::set);
        change.delete(TOPIC, this::remove);
    }

    private Object get(TopicRequest r) throws AdminException {
        Map<String, String> settings = topics.topic(r).settings();
        String millis = settings.get(Retention.MILLIS_SETTING);
        String bytes = settings.get(Retention.BYTES_SETTING);
        if (millis == null && bytes == null) {
            return Routes.NOTHING;
        }
        return new JsonObject()
                .put(MINUTES, inUnits(millis, MILLIS_PER_MINUTE))
                .put(MEGABYTES, inUnits(bytes, BYTES_PER_MEGABYTE));
    }

    /** Rounded up: a limit that is there must not look like none. */
    private static long inUnits(@Nullable String value, long unit) {
        long number = value == null ? -1 : Long.parseLong(value);
        return number < 0 ? -1 : Math.ceilDiv(number, unit);
    }

    private @Nullable Object set(TopicRequest r) throws AdminException {
        long minutes = limit(r.json(), MINUTES);
        long megabytes = limit(r.json(), MEGABYTES);
        Topic topic = topics.topic(r);
        BacklogQuotaRoutes.check(
                topics.services().quotaChecks().quotas(),
                topic,
                new RetentionPolicies((int) Math.min(minutes, Integer.MAX_VALUE), megabytes));
        Map<String, String> settings = new HashMap<>(topic.settings());
        settings.put(Retention.MILLIS_SETTING, inMillisOrBytes(minutes, MILLIS_PER_MINUTE));
        settings.put(Retention.BYTES_SETTING, inMillisOrBytes(megabytes, BYTES_PER_MEGABYTE));
        await(topics.services().catalogue().configure(topic.name(), settings));
        return null;
    }

    private static long limit(JsonObject body, String name) throws AdminException {
        Long value = body.getLong(name);
        if (value == null || value < -1) {
            throw new AdminException(400, name + " must be 0 and above, or -1 for no limit");
        }
        return value;
    }

    private static String inMillisOrBytes(long limit, long unit) {
        return limit < 0 ? "-1" : String.valueOf(Math.multiplyExact(limit, unit));
    }

    private @Nullable Object remove(TopicRequest r) throws AdminException {
        Topic topic = topics.topic(r);
        Map<String, String> settings = new HashMap<>(topic.settings());
        settings.remove(Retention.MILLIS_SETTING);
        settings.remove(Retention.BYTES_SETTING);
        await(topics.services().catalogue().configure(topic.name(), settings));
        return null;
    }
}
