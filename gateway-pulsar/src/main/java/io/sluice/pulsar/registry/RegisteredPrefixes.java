package io.sluice.pulsar.registry;

import io.sluice.broker.topic.KafkaNames;
import io.sluice.broker.topic.SchemaRecords;
import io.sluice.broker.topic.Topic;
import io.sluice.broker.topic.TopicCatalogue;
import io.sluice.conversion.EarlierEntries;
import io.sluice.conversion.PrefixSource;
import io.sluice.conversion.TopicPrefixes;
import io.sluice.conversion.TopicPrefixes.Use;
import io.sluice.pulsar.schema.TopicSchemas;
import io.sluice.store.cluster.Metadata;
import java.io.IOException;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Schemas of topics with the ids that the registry has given them, as conversion asks for them; those that were asked for last are remembered
 * until a change of the topic's schemas, or of its subject, is told.
 */
public final class RegisteredPrefixes implements PrefixSource, AutoCloseable {
    /** Schemas and topics that are remembered, at 100 bytes. */
    private static final int MOST = 50_000;

    private final SubjectCatalogue subjects;
    private final TopicCatalogue topics;
    private final List<Metadata.Watch> watches;
    /** Least recently used first. */
    private final LinkedHashMap<UUID, Entry> cache = new LinkedHashMap<>(16, 0.75f, true);

    private final Map<UUID, UUID> topicOfSubject = new HashMap<>();
    private int size;
    /** Rises when something may have changed. */
    private long changes;

    /**
     * Prefixes of a topic.
     *
     * @param subject by which schemas are kept before there is the topic
     * @param changed they are to be read again
     */
    private record Entry(TopicPrefixes prefixes, UUID subject, int size, boolean changed) {}

    RegisteredPrefixes(Metadata metadata, SubjectCatalogue subjects, TopicCatalogue topics) {
        this.subjects = subjects;
        this.topics = topics;
        this.watches = List.of(
                SchemaRecords.watch(metadata, new SchemaRecords.Watcher() {
                    @Override
                    public void changed(UUID topic) {
                        change(topic);
                    }

                    @Override
                    public void missed() {
                        changeAll();
                    }
                }),
                RegistryRecords.watchSubjects(metadata, new Metadata.Watcher() {
                    @Override
                    public void changed(String subject) {
                        change(TopicSchemas.ofSubject(subject));
                    }

                    @Override
                    public void missed() {
                        changeAll();
                    }
                }));
    }

    @Override
    public void close() {
        watches.forEach(Metadata.Watch::close);
    }

    @Override
    public @Nullable TopicPrefixes known(UUID topic) {
        Use use = use(topics.find(topic));
        if (use == Use.KEEP) {
            return TopicPrefixes.NONE;
        }
        synchronized (cache) {
            Entry known = cache.get(topic);
            return known == null || known.changed() || known.prefixes().use() != use ? null : known.prefixes();
        }
    }

    @Override
    public TopicPrefixes read(UUID id) {
        Topic topic = topics.find(id);
        Use use = use(topic);
        String name = topic == null || use == Use.KEEP ? null : KafkaNames.of(topic.name());
        if (name == null) {
            return TopicPrefixes.NONE;
        }
        long before = changes();
        try {
            Subject subject = Subject.of(Subject.ofValues(name));
            var read = new TopicPrefixes(use, subjects.prefixes(subject, id, use == Use.FOR_BOTH));
            return remember(id, read, TopicSchemas.ofSubject(subject.name()), before);
        } catch (RegistryException e) {
            return TopicPrefixes.NONE; // a topic whose name is none of a subject's
        } catch (IOException e) {
            throw new EarlierEntries.UnavailableException("schemas of " + name + " cannot be read: " + e.getMessage());
        }
    }

    private static Use use(@Nullable Topic topic) {
        if (topic == null || topic.internal()) {
            return Use.KEEP;
        }
        return switch (topic.settings().getOrDefault(Topic.WIRE_FORMAT, Topic.WIRE_FORMAT_PULSAR)) {
            case Topic.WIRE_FORMAT_PULSAR -> Use.FOR_PULSAR;
            case Topic.WIRE_FORMAT_BOTH -> Use.FOR_BOTH;
            default -> Use.KEEP;
        };
    }

    private long changes() {
        synchronized (cache) {
            return changes;
        }
    }

    /** @param before changes that were told when the read began: what was told since may not be in it */
    private TopicPrefixes remember(UUID topic, TopicPrefixes read, UUID subject, long before) {
        synchronized (cache) {
            Entry known = cache.remove(topic);
            size -= known == null ? 0 : known.size();
            TopicPrefixes same = known != null && known.prefixes().isSame(read) ? known.prefixes() : read;
            Entry now = new Entry(same, subject, 1 + same.size(), before != changes);
            cache.put(topic, now);
            topicOfSubject.put(subject, topic);
            size += now.size();
            while (size > MOST && cache.size() > 1) {
                Map.Entry<UUID, Entry> eldest = cache.pollFirstEntry();
                size -= eldest.getValue().size();
                topicOfSubject.remove(eldest.getValue().subject(), eldest.getKey());
            }
            return same;
        }
    }

    /** @param id of a topic, or of a subject */
    private void change(UUID id) {
        synchronized (cache) {
            changes++;
            cache.computeIfPresent(topicOfSubject.getOrDefault(id, id), (_, known) -> changed(known));
        }
    }

    private void changeAll() {
        synchronized (cache) {
            changes++;
            cache.replaceAll((_, known) -> changed(known));
        }
    }

    private static Entry changed(Entry known) {
        return new Entry(known.prefixes(), known.subject(), known.size(), true);
    }
}
