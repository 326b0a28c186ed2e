package io.sluice.kafka.coordinator;

import io.sluice.broker.log.PartitionLog;
import io.sluice.broker.topic.Partitions;
import io.sluice.broker.topic.Topic;
import io.sluice.broker.topic.TopicCatalogue;
import io.sluice.broker.topic.TopicName;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.kafka.common.Uuid;
import org.jspecify.annotations.Nullable;

/** A catalogue, one container and logs in memory: what group coordinators stand on. */
final class SmallCluster implements TopicCatalogue, Partitions, GroupTopics, AutoCloseable {
    private final Map<TopicName, Topic> topics = new ConcurrentHashMap<>();
    private final Map<Long, LoopLog> logs = new ConcurrentHashMap<>();
    private final List<ChangeListener> listeners = new CopyOnWriteArrayList<>();
    private final List<LoopContainer> containers = new ArrayList<>();
    private final AtomicLong version = new AtomicLong();
    private long segments;
    private boolean served = true;

    SmallCluster() {
        containers.add(new LoopContainer(0));
    }

    LoopContainer container() {
        return containers.getLast();
    }

    LoopLog log(Topic topic, int partition) {
        return Objects.requireNonNull(logs.get(topic.partitions().get(partition).segment()));
    }

    LoopLog offsets(int partition) {
        return log(Objects.requireNonNull(find(GroupCoordinators.OFFSETS_TOPIC)), partition);
    }

    /** The term ends with whatever is not durable; nothing is served until {@link #serveAgain}. */
    void stopServing() {
        served = false;
        logs.values().forEach(LoopLog::endTerm);
    }

    void serveAgain() {
        LoopContainer next = new LoopContainer(0);
        containers.add(next);
        logs.replaceAll((segment, log) -> log.nextTerm(next));
        served = true;
    }

    @Override
    public @Nullable PartitionLog find(TopicName topic, int partition) {
        Topic found = topics.get(topic);
        return found == null ? null : find(found.partitions().get(partition));
    }

    @Override
    public @Nullable PartitionLog find(Topic.Placement placement) {
        return served ? logs.get(placement.segment()) : null;
    }

    @Override
    public @Nullable Topic find(TopicName name) {
        return topics.get(name);
    }

    @Override
    public @Nullable Topic find(UUID id) {
        return topics.values().stream().filter(t -> t.id().equals(id)).findAny().orElse(null);
    }

    @Override
    public @Nullable Topic find(Uuid id) {
        return find(new UUID(id.getMostSignificantBits(), id.getLeastSignificantBits()));
    }

    @Override
    public @Nullable Topic find(String kafkaName) {
        return topics.get(TopicName.ofDefault(kafkaName));
    }

    @Override
    public String kafkaName(TopicName name) {
        return name.local();
    }

    @Override
    public Collection<Topic> all() {
        return List.copyOf(topics.values());
    }

    @Override
    public long version() {
        return version.get();
    }

    Topic create(String name, int partitions) {
        return create(TopicName.ofDefault(name), partitions, true, false, Map.of())
                .join();
    }

    @Override
    public synchronized CompletableFuture<Topic> create(
            TopicName name, int partitions, boolean partitioned, boolean internal, Map<String, String> settings) {
        Topic topic = new Topic(
                name, UUID.randomUUID(), partitioned, placements(List.of(), partitions), settings, internal, 0);
        return CompletableFuture.completedFuture(changed(topic));
    }

    private List<Topic.Placement> placements(List<Topic.Placement> before, int total) {
        List<Topic.Placement> all = new ArrayList<>(before);
        while (all.size() < total) {
            long segment = ++segments;
            logs.put(segment, new LoopLog(container()));
            all.add(new Topic.Placement(0, segment));
        }
        return all;
    }

    private Topic changed(Topic topic) {
        topics.put(topic.name(), topic);
        version.incrementAndGet();
        listeners.forEach(l -> l.changed(topic.name(), topic));
        return topic;
    }

    @Override
    public CompletableFuture<Topic> getOrCreate(TopicName name, int partitions, boolean partitioned, boolean internal) {
        Topic found = topics.get(name);
        return found != null
                ? CompletableFuture.completedFuture(found)
                : create(name, partitions, partitioned, internal, Map.of());
    }

    @Override
    public synchronized CompletableFuture<Topic> expand(TopicName name, int total) {
        Topic t = Objects.requireNonNull(topics.get(name));
        return CompletableFuture.completedFuture(changed(new Topic(
                name, t.id(), true, placements(t.partitions(), total), t.settings(), t.internal(), t.createdAt())));
    }

    @Override
    public CompletableFuture<Topic> configure(TopicName name, Map<String, String> settings) {
        throw new UnsupportedOperationException();
    }

    @Override
    public CompletableFuture<Void> delete(TopicName name) {
        topics.remove(name);
        version.incrementAndGet();
        listeners.forEach(l -> l.changed(name, null));
        return CompletableFuture.completedFuture(null);
    }

    @Override
    public void onChange(ChangeListener listener) {
        listeners.add(listener);
    }

    @Override
    public void close() {
        containers.forEach(LoopContainer::close);
    }
}
