package io.sluice.broker.topic;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.broker.topic.TopicException.Reason;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class StoredTopicCatalogueTest extends CatalogueFixture {
    @Test
    void createdTopicsAreThereAfterARestart() throws IOException {
        Topic made = create(NAME, 7);
        Topic other = catalogue
                .create(new TopicName("acme", "a.b", "odd % name"), 1, false, true, Map.of())
                .join();
        restart();
        assertThat(catalogue.find(NAME)).isEqualTo(made);
        assertThat(catalogue.find(made.id())).isEqualTo(made);
        assertThat(catalogue.find(other.name())).isEqualTo(other);
        assertThat(catalogue.all()).hasSize(2);
        assertThat(made.createdAt()).isEqualTo(77);
        assertNoOrphans();
    }

    @Test
    void spreadsPartitionsOverContainers() {
        Topic topic = create(NAME, 7);
        create(TopicName.ofDefault("u"), 2);
        assertThat(topic.partitions().stream().map(Topic.Placement::container)).containsExactly(0, 1, 2, 0, 1, 2, 0);
        assertThat(Objects.requireNonNull(catalogue.find(TopicName.ofDefault("u"))).partitions().stream()
                        .map(Topic.Placement::container))
                .containsExactly(1, 2);
    }

    @Test
    void partitionsAreFoundByNameAndPlacement() {
        Topic topic = create(NAME, 2);
        ContainerPartitions partitions = new ContainerPartitions(catalogue, containers, open);
        assertThat(Objects.requireNonNull(partitions.find(NAME, 1)).partitionId())
                .isEqualTo(segments(topic).get(1));
        assertThat(partitions.find(NAME, 2)).isNull();
        assertThat(partitions.find(NAME, -1)).isNull();
        assertThat(partitions.find(TopicName.ofDefault("u"), 0)).isNull();
        containers.stop(topic.partitions().get(1).container());
        assertThat(partitions.find(NAME, 1)).isNull();
        assertThat(partitions.find(topic.partitions().get(0))).isNotNull();
    }

    @Test
    void expandsConfiguresAndDeletes() throws IOException {
        Topic first = create(NAME, 2);
        Topic wider = catalogue.expand(NAME, 5).join();
        assertThat(segments(wider))
                .startsWith(segments(first).toArray(new Long[0]))
                .hasSize(5);
        assertThat(wider.id()).isEqualTo(first.id());
        Topic configured = catalogue.configure(NAME, Map.of("x", "y")).join();
        restart();
        assertThat(catalogue.find(NAME)).isEqualTo(configured);
        assertThat(configured.settings()).containsOnly(Map.entry("x", "y"));
        assertNoOrphans();
        catalogue.delete(NAME).join();
        assertThat(catalogue.find(NAME)).isNull();
        assertThat(catalogue.find(first.id())).isNull();
        assertNoOrphans();
        assertThat(create(NAME, 1).id()).isNotEqualTo(first.id());
    }

    @Test
    void refusesWhatCannotBe() {
        create(NAME, 2);
        TopicName other = TopicName.ofDefault("u");
        assertRefused(Reason.ALREADY_EXISTS, () -> create(NAME, 2));
        assertRefused(Reason.INVALID_PARTITIONS, () -> create(other, 0));
        assertRefused(Reason.INVALID_PARTITIONS, () -> create(other, 10_001));
        assertRefused(
                Reason.INVALID_PARTITIONS,
                () -> catalogue.create(other, 2, false, false, Map.of()).join());
        assertRefused(Reason.INVALID_PARTITIONS, () -> catalogue.expand(NAME, 2).join());
        assertRefused(Reason.NOT_FOUND, () -> catalogue.expand(other, 2).join());
        assertRefused(Reason.NOT_FOUND, () -> catalogue.delete(other).join());
        assertRefused(Reason.INVALID_NAME, () -> create(TopicName.ofDefault("u-partition-3"), 1));
        assertRefused(
                Reason.INVALID_SETTING,
                () -> catalogue.configure(NAME, Map.of("k", "v".repeat(70_000))).join());
        assertNoOrphans();
    }

    @Test
    void onlyTheSystemCreatesTopicsOfReservedNames() {
        TopicName offsets = TopicName.ofDefault("__consumer_offsets");
        assertRefused(Reason.RESERVED_NAME, () -> create(offsets, 1));
        assertRefused(
                Reason.RESERVED_NAME,
                () -> catalogue.getOrCreate(offsets, 1, true, false).join());
        Topic made = catalogue.getOrCreate(offsets, 1, true, true).join();
        assertThat(catalogue.getOrCreate(offsets, 1, true, true).join()).isEqualTo(made);
        assertRefused(
                Reason.RESERVED_NAME,
                () -> catalogue.getOrCreate(offsets, 1, true, false).join());
        assertThat(create(new TopicName("acme", "shop", "__consumer_offsets"), 1)
                        .internal())
                .isFalse();
        assertNoOrphans();
    }

    @Test
    void concurrentCallsForOneNameGiveOneTopic() {
        List<CompletableFuture<Topic>> all = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            all.add(catalogue.getOrCreate(NAME, 3, true, false));
        }
        assertThat(all.stream().map(CompletableFuture::join).distinct()).hasSize(1);
        assertNoOrphans();
    }

    @Test
    void tellsListenersOfEveryChange() {
        List<String> told = new ArrayList<>();
        catalogue.onChange((name, now) -> told.add(
                name.local() + " " + (now == null ? "gone" : now.partitions().size())));
        long before = catalogue.version();
        create(NAME, 1);
        catalogue.expand(NAME, 2).join();
        catalogue.delete(NAME).join();
        assertThat(told).containsExactly("t 1", "t 2", "t gone");
        assertThat(catalogue.version()).isGreaterThanOrEqualTo(before + 3);
    }
}
