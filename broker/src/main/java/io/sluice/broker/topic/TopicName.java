package io.sluice.broker.topic;

/**
 * A topic of either protocol: {@code persistent://tenant/namespace/local}. Kafka's topic {@code t} is
 * {@code persistent://public/default/t}; how others look to Kafka is in docs/adr.
 */
public record TopicName(String tenant, String namespace, String local) {
    public static final String DEFAULT_TENANT = "public";
    public static final String DEFAULT_NAMESPACE = "default";

    public static TopicName ofDefault(String local) {
        return new TopicName(DEFAULT_TENANT, DEFAULT_NAMESPACE, local);
    }

    public boolean inDefaultNamespace() {
        return tenant.equals(DEFAULT_TENANT) && namespace.equals(DEFAULT_NAMESPACE);
    }

    @Override
    public String toString() {
        return "persistent://" + tenant + "/" + namespace + "/" + local;
    }
}
