package io.sluice.pulsar.admin;

import static io.sluice.broker.access.Operation.ALTER_CONFIGS;
import static io.sluice.broker.access.Operation.DESCRIBE_CONFIGS;
import static io.sluice.pulsar.admin.AdminAnswers.await;

import io.sluice.broker.retention.Retention;
import io.sluice.broker.topic.Topic;
import io.vertx.core.json.JsonObject;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Function;
import org.apache.pulsar.common.policies.data.RetentionPolicies;
import org.jspecify.annotations.Nullable;

/**
 * {@code .../:topic/retention}: how long a topic keeps what every subscription has acknowledged, shared with Kafka's
 * {@code retention.ms} and {@code retention.bytes}. Difference on purpose: the size holds per partition, as Kafka counts it.
 */
final class RetentionRoutes {
    private static final String TOPIC = "/admin/v2/persistent/:tenant/:namespace/:topic/retention";
    private static final String MINUTES = "retentionTimeInMinutes";
    private static final String MEGABYTES = "retentionSizeInMB";
    private static final long MILLIS_PER_MINUTE = 60_000;
    private static final long BYTES_PER_MEGABYTE = 1 << 20;

    private final AdminTopics topics;
    private final Function<Topic, Retention> applied;

    /** @param applied retention of a topic, as it holds now, with what its namespace or the server says where it has none */
    RetentionRoutes(AdminTopics topics, Function<Topic, Retention> applied) {
        this.topics = topics;
        this.applied = applied;
    }

    void add(Routes routes) {
        routes.wholeTopic(DESCRIBE_CONFIGS).get(TOPIC, this::get);
        var change = routes.wholeTopic(ALTER_CONFIGS);
        change.post(TOPIC, this::set);
        change.delete(TOPIC, this::remove);
    }

    private Object get(TopicRequest r) throws AdminException {
        Topic topic = topics.topic(r);
        Map<String, String> settings = topic.settings();
        String millis = settings.get(Retention.MILLIS_SETTING);
        String bytes = settings.get(Retention.BYTES_SETTING);
        if (millis == null && bytes == null) {
            if (!r.flag("applied")) {
                return Routes.NOTHING;
            }
            Retention kept = applied.apply(topic);
            return shown(kept.millis(), kept.bytes());
        }
        return shown(numberOf(millis), numberOf(bytes));
    }

    private static JsonObject shown(long millis, long bytes) {
        return new JsonObject()
                .put(MINUTES, inUnits(millis, MILLIS_PER_MINUTE))
                .put(MEGABYTES, inUnits(bytes, BYTES_PER_MEGABYTE));
    }

    private static long numberOf(@Nullable String setting) {
        return setting == null ? -1 : Long.parseLong(setting);
    }

    /** Rounded up: a limit that is there must not look like none. */
    private static long inUnits(long number, long unit) {
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
