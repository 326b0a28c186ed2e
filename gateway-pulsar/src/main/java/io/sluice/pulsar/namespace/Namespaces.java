package io.sluice.pulsar.namespace;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.sluice.broker.topic.Topic;
import io.sluice.broker.topic.TopicCatalogue;
import io.sluice.broker.topic.TopicName;
import io.sluice.store.cluster.Metadata;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.TreeSet;
import java.util.UUID;

/**
 * Tenants and namespaces. A topic may be created anywhere; these are the places that were created by name or have topics,
 * and {@code public/default}. All methods block.
 */
public final class Namespaces {
    private static final String ROOT = "/sluice/pulsar/namespaces";

    private final Metadata metadata;
    private final TopicCatalogue catalogue;

    public Namespaces(Metadata metadata, TopicCatalogue catalogue) {
        this.metadata = metadata;
        this.catalogue = catalogue;
    }

    public List<String> tenants() throws IOException {
        TreeSet<String> names = new TreeSet<>(metadata.children(ROOT));
        names.add(TopicName.DEFAULT_TENANT);
        visible().forEach(t -> names.add(t.tenant()));
        return List.copyOf(names);
    }

    /** Namespaces of the tenant, without its name. */
    public List<String> of(String tenant) throws IOException {
        TreeSet<String> names = new TreeSet<>(metadata.children(ROOT + '/' + tenant));
        if (tenant.equals(TopicName.DEFAULT_TENANT)) {
            names.add(TopicName.DEFAULT_NAMESPACE);
        }
        visible().stream().filter(t -> t.tenant().equals(tenant)).forEach(t -> names.add(t.namespace()));
        return List.copyOf(names);
    }

    public boolean hasTopics(String tenant, String namespace) {
        return visible().stream().anyMatch(t -> t.isIn(tenant, namespace));
    }

    /** False if it was there already. */
    public boolean createTenant(String tenant) throws IOException {
        return !tenants().contains(tenant) && create(ROOT + '/' + tenant);
    }

    /** False if it was there already. */
    public boolean createNamespace(String tenant, String namespace) throws IOException {
        createTenant(tenant);
        return !of(tenant).contains(namespace) && create(ROOT + '/' + tenant + '/' + namespace);
    }

    /**
     * The record's value is different at every call. The metadata client sends a put again after a lost connection, so only the
     * stored record tells whether a put that failed has created it.
     */
    private boolean create(String path) throws IOException {
        byte[] creation = UUID.randomUUID().toString().getBytes(US_ASCII);
        try {
            metadata.put(path, creation, Metadata.ABSENT);
            return true;
        } catch (IOException e) {
            Metadata.Versioned there = metadata.get(path);
            if (there != null) {
                return Arrays.equals(there.value(), creation);
            }
            throw e;
        }
    }

    public void deleteTenant(String tenant) throws IOException {
        metadata.deleteLast(ROOT + '/' + tenant);
    }

    public void deleteNamespace(String tenant, String namespace) throws IOException {
        metadata.deleteLast(ROOT + '/' + tenant + '/' + namespace);
    }

    private List<TopicName> visible() {
        return catalogue.withShadows().stream()
                .filter(t -> !t.internal())
                .map(Topic::name)
                .toList();
    }
}
