package io.sluice.kafka.coordinator;

import io.sluice.broker.topic.Topic;
import io.sluice.broker.topic.TopicCatalogue;
import io.sluice.broker.topic.TopicName;
import io.sluice.kafka.api.KafkaServices;
import io.sluice.kafka.format.TopicNames;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.kafka.common.metadata.PartitionRecord;
import org.apache.kafka.common.metadata.RemoveTopicRecord;
import org.apache.kafka.common.metadata.TopicRecord;
import org.apache.kafka.coordinator.group.GroupCoordinator;
import org.apache.kafka.image.MetadataDelta;
import org.apache.kafka.image.MetadataImage;
import org.apache.kafka.image.MetadataProvenance;
import org.apache.kafka.image.TopicImage;
import org.apache.kafka.image.TopicsImage;
import org.apache.kafka.metadata.PartitionRegistration;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells the coordinator which topics there are: what it assigns, what its regular expressions match, whose offsets go when
 * a topic is deleted. Changes are gathered by name and applied on a virtual thread, one step at a time, because applying a
 * deletion waits for the offsets' tombstones to be durable.
 */
final class TopicImages implements TopicCatalogue.ChangeListener {
    private static final Logger LOG = LoggerFactory.getLogger(TopicImages.class);

    private final TopicCatalogue catalogue;
    private final GroupCoordinator coordinator;
    private final KafkaServices services;

    /** At most one name per topic. */
    private final Set<TopicName> changed = ConcurrentHashMap.newKeySet();

    private final AtomicBoolean applying = new AtomicBoolean();
    private volatile boolean closed;

    /** Touched by the one thread that applies. */
    private MetadataImage image = MetadataImage.EMPTY;

    private long version;

    TopicImages(KafkaServices services, GroupCoordinator coordinator) {
        this.services = services;
        this.catalogue = services.topics();
        this.coordinator = coordinator;
    }

    /** Gives the coordinator all topics there are, then keeps it up to date. */
    void start() {
        applying.set(true);
        catalogue.onChange(this);
        catalogue.withShadows().forEach(topic -> changed.add(topic.name()));
        applyAll();
    }

    void close() {
        closed = true;
        catalogue.offChange(this);
    }

    @Override
    public void changed(TopicName name, @Nullable Topic now) {
        changed.add(name);
        applySoon();
    }

    private void applySoon() {
        if (!closed && applying.compareAndSet(false, true)) {
            Thread.ofVirtual().name("apply topics to groups").start(this::applyAll);
        }
    }

    private void applyAll() {
        try {
            while (!changed.isEmpty() && !closed) {
                List<TopicName> names = new ArrayList<>(changed);
                names.forEach(changed::remove);
                apply(names);
            }
        } catch (RuntimeException e) {
            if (!closed) {
                LOG.error("Groups were not told of changed topics: {}", e.getMessage(), e);
            }
        } finally {
            applying.set(false);
        }
        if (!changed.isEmpty()) {
            applySoon();
        }
    }

    private void apply(List<TopicName> names) {
        MetadataDelta delta = new MetadataDelta.Builder().setImage(image).build();
        for (TopicName name : names) {
            if (TopicNames.isVisible(name)) {
                replay(delta, TopicNames.toKafka(name), catalogue.find(name));
            }
        }
        version++;
        image = small(delta.apply(new MetadataProvenance(version, 0, 0, true)), names);
        coordinator.onMetadataUpdate(delta, image);
    }

    /** The same, without a registration of its own for every partition of these topics. */
    private static MetadataImage small(MetadataImage applied, List<TopicName> names) {
        TopicsImage topics = applied.topics();
        for (TopicName name : names) {
            TopicImage topic = TopicNames.isVisible(name) ? topics.getTopic(TopicNames.toKafka(name)) : null;
            if (topic != null && !topic.partitions().isEmpty()) {
                PartitionRegistration each =
                        topic.partitions().values().iterator().next();
                var partitions = new EqualPartitions(topic.partitions().size(), each);
                topics = topics.including(new TopicImage(topic.name(), topic.id(), partitions));
            }
        }
        return new MetadataImage(
                applied.provenance(),
                applied.features(),
                applied.cluster(),
                topics,
                applied.configs(),
                applied.clientQuotas(),
                applied.producerIds(),
                applied.acls(),
                applied.scram(),
                applied.delegationTokens());
    }

    private void replay(MetadataDelta delta, String name, @Nullable Topic now) {
        TopicImage before = image.topics().getTopic(name);
        if (before != null && (now == null || !before.id().equals(KafkaServices.kafkaId(now)))) {
            delta.replay(new RemoveTopicRecord().setTopicId(before.id()));
            before = null;
        }
        if (now == null) {
            return;
        }
        if (before == null) {
            delta.replay(new TopicRecord().setName(name).setTopicId(KafkaServices.kafkaId(now)));
        }
        int known = before == null ? 0 : before.partitions().size();
        for (int p = known; p < now.partitions().size(); p++) {
            delta.replay(partition(now, p));
        }
    }

    private PartitionRecord partition(Topic topic, int partition) {
        // The coordinator wants to know the partitions, not who leads them.
        int node = services.cluster().self().id();
        return new PartitionRecord()
                .setTopicId(KafkaServices.kafkaId(topic))
                .setPartitionId(partition)
                .setReplicas(List.of(node))
                .setIsr(List.of(node))
                .setLeader(node)
                .setLeaderEpoch(0)
                .setPartitionEpoch(0);
    }
}
