package io.sluice.pulsar.namespace;

import io.sluice.broker.topic.Topic;
import io.sluice.broker.topic.TopicName;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.HashMap;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.Function;
import org.apache.pulsar.common.policies.data.Policies;
import org.apache.pulsar.common.util.ObjectMapperFactory;
import org.jspecify.annotations.Nullable;

/**
 * Something that can be set for a namespace, for a topic, or for both: the topic's value counts, else its namespace's, else the standard one. A
 * value is of a class of Pulsar's, and is kept as its JSON.
 *
 * @param name under which it is kept; never used for something else
 * @param standard what holds where nothing is set; null for nothing
 * @param whyNot null for a value that can be set, else why it cannot
 * @param shown puts a namespace's value where Pulsar shows all of them
 */
public record Policy<T>(
        String name,
        Class<T> type,
        @Nullable T standard,
        Function<T, @Nullable String> whyNot,
        BiConsumer<Policies, T> shown) {

    /** Beginning of the names of topics' settings that are policies. */
    static final String PREFIX = "pulsar.";

    String setting() {
        return PREFIX + name;
    }

    /** Null where the topic has none of its own. */
    public @Nullable T ofTopic(Topic topic) {
        return in(topic.settings());
    }

    /** Null where a topic with these settings has none of its own. */
    public @Nullable T in(Map<String, String> settings) {
        return read(settings.get(setting()));
    }

    /** Null where the namespace has none. */
    public @Nullable T ofNamespace(NamespacePolicy policy) {
        return read(policy.values().get(name));
    }

    /** Value that holds for topics of the namespace that have none of their own. */
    public @Nullable T inNamespace(NamespacePolicies policies, String tenant, String namespace) {
        T of = ofNamespace(policies.of(tenant, namespace));
        return of == null ? standard : of;
    }

    /** Value that holds. */
    public @Nullable T applied(NamespacePolicies policies, Topic topic) {
        return applied(policies, topic.name(), topic.settings());
    }

    /** Value that holds for a topic with these settings. */
    public @Nullable T applied(NamespacePolicies policies, TopicName topic, Map<String, String> settings) {
        T own = in(settings);
        return own == null ? inNamespace(policies, topic.tenant(), topic.namespace()) : own;
    }

    /** The topic's settings with another value for this; null for none. */
    public Map<String, String> set(Topic topic, @Nullable T value) {
        return set(topic.settings(), value);
    }

    /** A topic's settings with another value for this; null for none. */
    public Map<String, String> set(Map<String, String> before, @Nullable T value) {
        Map<String, String> settings = new HashMap<>(before);
        if (value == null) {
            settings.remove(setting());
        } else {
            settings.put(setting(), written(value));
        }
        return settings;
    }

    /** Settings of a new topic that has this value. */
    public Map<String, String> asSettings(T value) {
        return Map.of(setting(), written(value));
    }

    /** The namespace's policy with another value for this; null for none. */
    public NamespacePolicy set(NamespacePolicy policy, @Nullable T value) {
        return policy.withValue(name, value == null ? null : written(value));
    }

    /** Shows the namespace's value, if it has one. */
    public void show(NamespacePolicy policy, Policies all) {
        T value = ofNamespace(policy);
        if (value != null) {
            shown.accept(all, value);
        }
    }

    private @Nullable T read(@Nullable String json) {
        try {
            return json == null
                    ? null
                    : ObjectMapperFactory.getMapper().reader().readValue(json, type);
        } catch (IOException e) {
            throw new UncheckedIOException("policy " + name + " does not read", e);
        }
    }

    private String written(T value) {
        try {
            return ObjectMapperFactory.getMapper().writer().writeValueAsString(value);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
