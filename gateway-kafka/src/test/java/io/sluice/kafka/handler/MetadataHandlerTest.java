package io.sluice.kafka.handler;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.broker.cluster.SingleNode;
import io.sluice.broker.topic.NamespaceDurability;
import io.sluice.broker.topic.Partitions;
import io.sluice.broker.topic.Topic;
import io.sluice.broker.topic.TopicCatalogue;
import io.sluice.broker.topic.TopicGrowth;
import io.sluice.broker.topic.TopicName;
import io.sluice.kafka.api.KafkaServices;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.function.IntPredicate;
import java.util.function.Predicate;
import org.apache.kafka.common.message.MetadataRequestData;
import org.apache.kafka.common.message.MetadataRequestData.MetadataRequestTopic;
import org.apache.kafka.common.message.MetadataResponseData;
import org.apache.kafka.common.message.MetadataResponseData.MetadataResponseTopic;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.requests.MetadataRequest;
import org.apache.kafka.common.requests.RequestHeader;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Answers that are put together by several threads. */
class MetadataHandlerTest {
    private static final int ROUNDS = 3_000;
    private static final short VERSION = 12;

    private final ExecutorService creator = Executors.newSingleThreadExecutor();
    private final MetadataHandler handler = new MetadataHandler(
            new KafkaServices(
                    new CreatingElsewhere(),
                    new NoPartitions(),
                    () -> 1,
                    Runnable::run,
                    () -> 1,
                    new SingleNode("cluster", 1)),
            new TopicPolicy(true, 1, 1 << 20, true, 1 << 20, TopicPolicy.Retention.DEFAULT));

    @AfterEach
    void stop() {
        creator.shutdownNow();
    }

    /** Every second topic is known at once, the others are added by the thread that creates them while the rest is looked at. */
    @Test
    void answersForEveryTopicInTheOrderAskedWhileSomeAreBeingCreated() throws Exception {
        List<String> names = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            names.add("new" + i);
            names.add("a name that is not valid " + i);
        }
        for (int round = 0; round < ROUNDS; round++) {
            assertThat(ask(names).topics().stream().map(MetadataResponseTopic::name))
                    .as("round %d", round)
                    .containsExactlyElementsOf(names);
        }
    }

    private MetadataResponseData ask(List<String> names) throws Exception {
        MetadataRequestData asked = new MetadataRequestData().setAllowAutoTopicCreation(true);
        names.forEach(name -> asked.topics().add(new MetadataRequestTopic().setName(name)));
        CollectedAnswer context = new CollectedAnswer(new RequestHeader(ApiKeys.METADATA, VERSION, "client", 1));
        handler.handle(context, new MetadataRequest(asked, VERSION));
        return (MetadataResponseData) context.answer().get(20, TimeUnit.SECONDS);
    }

    /** Has no topics; one that is asked for is made by another thread, at once. */
    private final class CreatingElsewhere implements TopicCatalogue {
        @Override
        public CompletableFuture<Topic> getOrCreate(
                TopicName name, int partitions, boolean partitioned, boolean internal, Map<String, String> settings) {
            return CompletableFuture.supplyAsync(
                    () -> new Topic(
                            name,
                            new UUID(1, name.hashCode()),
                            true,
                            List.of(new Topic.Placement(0, 1)),
                            Map.of(),
                            false,
                            1),
                    creator);
        }

        @Override
        public @Nullable Topic find(TopicName name) {
            return null;
        }

        @Override
        public @Nullable Topic find(UUID id) {
            return null;
        }

        @Override
        public CompletableFuture<Boolean> isStored(TopicName name, int partition) {
            throw new UnsupportedOperationException();
        }

        @Override
        public CompletableFuture<Void> readNamespace(String tenant, String namespace) {
            return CompletableFuture.completedFuture(null);
        }

        @Override
        public Collection<Topic> all() {
            return List.of();
        }

        @Override
        public CompletableFuture<@Nullable Topic> read(TopicName name) {
            return CompletableFuture.completedFuture(null);
        }

        @Override
        public CompletableFuture<Boolean> deleteIf(TopicName name, UUID id, Predicate<Topic> condition) {
            throw new UnsupportedOperationException();
        }

        @Override
        public CompletableFuture<Void> delete(TopicName name, UUID id) {
            throw new UnsupportedOperationException();
        }

        @Override
        public NamespaceDurability namespaces() {
            throw new UnsupportedOperationException();
        }

        @Override
        public TopicGrowth growth() {
            throw new UnsupportedOperationException();
        }

        @Override
        public long version() {
            return 0;
        }

        @Override
        public CompletableFuture<Topic> create(
                TopicName name, int partitions, boolean partitioned, boolean internal, Map<String, String> settings) {
            throw new UnsupportedOperationException();
        }

        @Override
        public CompletableFuture<Topic> createShadow(TopicName name, Topic source, Map<String, String> settings) {
            throw new UnsupportedOperationException();
        }

        @Override
        public CompletableFuture<Topic> getOrCreateNear(
                TopicName name, int partitions, boolean partitioned, IntPredicate near) {
            throw new UnsupportedOperationException();
        }

        @Override
        public List<Integer> containersFor(TopicName name) {
            throw new UnsupportedOperationException();
        }

        @Override
        public CompletableFuture<Topic> expand(TopicName name, int total) {
            throw new UnsupportedOperationException();
        }

        @Override
        public CompletableFuture<Topic> configure(TopicName name, Map<String, String> settings) {
            throw new UnsupportedOperationException();
        }

        @Override
        public CompletableFuture<Topic> move(TopicName name, int partition, int container) {
            throw new UnsupportedOperationException();
        }

        @Override
        public CompletableFuture<Void> delete(TopicName name) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void onChange(ChangeListener listener) {}

        @Override
        public void offChange(ChangeListener listener) {}
    }

    private static final class NoPartitions implements Partitions {
        @Override
        public io.sluice.broker.log.@Nullable PartitionLog find(TopicName name, int partition) {
            return null;
        }

        @Override
        public io.sluice.broker.log.@Nullable PartitionLog find(Topic.Placement placement) {
            return null;
        }
    }
}
