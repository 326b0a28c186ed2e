package io.sluice.broker.topic;

/**
 * A topic of either protocol: {@code persistent://tenant/namespace/local}. Kafka's topic {@code t} is
 * {@code persistent://public/default/t}; how others look to Kafka is in docs/adr. A scalable segment of
 * {@code topic://tenant/namespace/t} is {@code segment://tenant/namespace/t/0000-7fff-1}, a topic that only Pulsar 5's clients see.
 */
public record TopicName(String tenant, String namespace, String local) {
    public static final String DEFAULT_TENANT = "public";
    public static final String DEFAULT_NAMESPACE = "default";

    public static TopicName ofDefault(String local) {
        return new TopicName(DEFAULT_TENANT, DEFAULT_NAMESPACE, local);
    }

    /**
     * A name as {@link #toString} gives it.
     *
     * @throws IllegalArgumentException it is none
     */
    static TopicName parse(String text) {
        String[] parts = text.substring(text.indexOf("://") + 3).split("/", 3);
        if (parts.length < 3) {
            throw new IllegalArgumentException("not the name of a topic: " + text);
        }
        return new TopicName(parts[0], parts[1], parts[2]);
    }

    public boolean inDefaultNamespace() {
        return tenant.equals(DEFAULT_TENANT) && namespace.equals(DEFAULT_NAMESPACE);
    }

    /** Whether it is a scalable segment, which has the name of that topic, a slash, and a descriptor. */
    public boolean isSegment() {
        return local.indexOf('/') >= 0;
    }

    /** The scalable topic that a scalable segment belongs to; any other topic itself. */
    public TopicName whole() {
        int slash = local.indexOf('/');
        return slash < 0 ? this : new TopicName(tenant, namespace, local.substring(0, slash));
    }

    @Override
    public String toString() {
        return (isSegment() ? "segment://" : "persistent://") + tenant + "/" + namespace + "/" + local;
    }

    public boolean isIn(String tenant, String namespace) {
        return this.tenant.equals(tenant) && this.namespace.equals(namespace);
    }
}
