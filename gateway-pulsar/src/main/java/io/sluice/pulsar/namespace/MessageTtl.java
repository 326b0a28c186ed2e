package io.sluice.pulsar.namespace;

import io.sluice.broker.topic.Topic;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Seconds after which messages count as acknowledged in all subscriptions of a topic; 0 for never. The topic's own setting decides, else its
 * namespace's. Any thread.
 */
public final class MessageTtl {
    private static final String SETTING = "pulsar.message.ttl";

    private final NamespacePolicies policies;

    public MessageTtl(NamespacePolicies policies) {
        this.policies = policies;
    }

    /** Null where the topic has no setting of its own. */
    public static @Nullable Integer ofTopic(Topic topic) {
        String value = topic.settings().get(SETTING);
        return value == null ? null : Integer.valueOf(value);
    }

    public int of(Topic topic) {
        Integer own = ofTopic(topic);
        Integer ofNamespace =
                policies.of(topic.name().tenant(), topic.name().namespace()).messageTtl();
        int otherwise = ofNamespace == null ? 0 : ofNamespace;
        return own == null ? otherwise : own;
    }

    /** The topic's settings with another one for this; null for none. */
    public static Map<String, String> set(Topic topic, @Nullable Integer seconds) {
        Map<String, String> settings = new HashMap<>(topic.settings());
        settings.remove(SETTING);
        if (seconds != null) {
            settings.put(SETTING, seconds.toString());
        }
        return settings;
    }
}
