package io.sluice.broker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.broker.TwoHalves.Half;
import io.sluice.broker.log.PartitionLog;
import io.sluice.broker.log.SubscriptionStart;
import io.sluice.broker.subscription.Cursor;
import io.sluice.broker.topic.Topic;
import io.sluice.broker.topic.TopicGrowth;
import io.sluice.broker.topic.TopicName;
import io.sluice.broker.topic.TopicSeen;
import io.sluice.store.segment.Durable;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** One node adds partitions to a topic; clients of both make and delete subscriptions of the partitions that they know. */
@Timeout(120)
class GrowthOverNodesTest {
    private static final Duration LONG = Duration.ofSeconds(60);
    private static final int ROUNDS = 30;

    private final TwoHalves nodes = new TwoHalves();

    @AfterEach
    void close() {
        nodes.close();
    }

    private Topic create(int round, boolean elastic) {
        Topic topic = nodes.one
                .broker()
                .catalogue()
                .create(
                        TopicName.ofDefault("t" + round),
                        2,
                        true,
                        false,
                        elastic ? Map.of("sluice.elastic", "true") : Map.of())
                .join();
        await().atMost(LONG).until(() -> nodes.two.topic(topic.name()) != null);
        return topic;
    }

    private Half serving(Topic topic, int partition) {
        return nodes.serving(topic.partitions().get(partition).container());
    }

    private static TopicGrowth growth(Half node) {
        return node.broker().catalogue().growth();
    }

    /** As a gateway does for a client that knows these partitions, at the node that serves each. */
    private CompletableFuture<Void> subscribe(Topic known, String name) {
        List<CompletableFuture<Void>> made = new ArrayList<>();
        for (int p = 0; p < known.partitions().size(); p++) {
            Half node = serving(known, p);
            PartitionLog log = Objects.requireNonNull(node.log(known.name(), p));
            boolean later = node.onLoop(log, () -> {
                if (growth(node).mayHaveNewPartitions(known)) {
                    return true;
                }
                PartitionLog there = log.createIfMissing();
                there.subscriptions().create(name, there.durableEnd(), Map.of(), Durable.IGNORED);
                return false;
            });
            if (later) {
                made.add(growth(node).subscribe(TopicSeen.of(known), p, name, Map.of(), SubscriptionStart.END));
            }
        }
        return CompletableFuture.allOf(made.toArray(CompletableFuture[]::new));
    }

    private CompletableFuture<Void> unsubscribe(Topic known, String name) {
        List<CompletableFuture<Void>> deleted = new ArrayList<>();
        for (int p = 0; p < known.partitions().size(); p++) {
            Half node = serving(known, p);
            PartitionLog log = Objects.requireNonNull(node.log(known.name(), p));
            CompletableFuture<Boolean> here = new CompletableFuture<>();
            node.onLoop(log, () -> {
                log.subscriptions().delete(name, Durable.of(() -> here.complete(true)));
                return null;
            });
            TopicSeen seen = TopicSeen.of(known);
            deleted.add(here.thenCompose(_ -> {
                Topic now = Objects.requireNonNull(node.topic(known.name()));
                return growth(node).mayHaveGrown(seen, now)
                        ? growth(node).unsubscribed(seen, name, new DeleteSubscription(name, -1))
                        : CompletableFuture.completedFuture(null);
            }));
        }
        return CompletableFuture.allOf(deleted.toArray(CompletableFuture[]::new));
    }

    private Set<String> subscriptions(Topic topic, int partition) {
        Half node = serving(topic, partition);
        await().atMost(LONG).until(() -> node.log(topic.name(), partition) != null);
        PartitionLog log = Objects.requireNonNull(node.log(topic.name(), partition));
        return node.onLoop(
                log, () -> log.subscriptions().all().stream().map(Cursor::name).collect(Collectors.toSet()));
    }

    private void assertAllHave(Topic topic, Set<String> names) {
        assertThat(topic.partitions()).hasSize(6);
        for (int p = 0; p < topic.partitions().size(); p++) {
            assertThat(subscriptions(topic, p))
                    .as("partition %d of %s", p, topic.name())
                    .isEqualTo(names);
        }
    }

    private CompletableFuture<Topic> grow(Half at, Topic topic) {
        return at.broker().catalogue().expand(topic.name(), 6);
    }

    @Test
    void whatIsMadeWhileANodeAddsPartitionsIsInAllOfThem() {
        for (int round = 0; round < ROUNDS; round++) {
            Topic known = create(round, round % 2 == 0);
            CompletableFuture<Topic> growing = grow(round % 3 == 0 ? nodes.two : nodes.one, known);
            subscribe(known, "s").join();
            assertAllHave(growing.join(), Set.of("s"));
        }
    }

    @Test
    void whatIsDeletedMeanwhileIsInNone() {
        for (int round = 0; round < ROUNDS; round++) {
            Topic known = create(round, false);
            subscribe(known, "s").join();
            CompletableFuture<Topic> growing = grow(round % 3 == 0 ? nodes.two : nodes.one, known);
            unsubscribe(known, "s").join();
            assertAllHave(growing.join(), Set.of());
        }
    }

    @Test
    void aNodeThatHasNotHeardOfNewPartitionsMakesAndDeletesThereToo() {
        Topic known = create(0, false);
        nodes.two.metadata().hold();
        Topic grown = grow(nodes.one, known).join();
        assertThat(nodes.two.topic(known.name())).isEqualTo(known);
        subscribe(known, "s").join();
        assertAllHave(grown, Set.of("s"));
        unsubscribe(known, "s").join();
        assertAllHave(grown, Set.of());
    }

    @Test
    void clientsAreTakenNotToKnowOfPartitionsThatANodeHasJustHeardOf() {
        Topic known = create(0, false);
        Topic grown = grow(nodes.one, known).join();
        await().atMost(LONG).until(() -> grown.equals(nodes.two.topic(known.name())));
        int ofSecond = serving(known, 0) == nodes.two ? 0 : 1;
        growth(nodes.two)
                .subscribe(TopicSeen.of(known), ofSecond, "s", Map.of(), SubscriptionStart.END)
                .join();
        for (int p = 0; p < 6; p++) {
            assertThat(subscriptions(grown, p)).isEqualTo(p == ofSecond || p >= 2 ? Set.of("s") : Set.of());
        }
    }
}
