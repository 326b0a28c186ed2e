package io.sluice.broker.topic;

import static io.sluice.broker.topic.ContainerAnswers.await;

import io.sluice.broker.container.ContainerOperations;
import io.sluice.broker.container.CreateSegments.NewSegment;
import io.sluice.broker.log.SubscriptionStart;
import io.sluice.broker.subscription.ShadowSubscription;
import io.sluice.broker.subscription.Subscriptions;
import io.sluice.broker.topic.TopicException.Reason;
import io.sluice.broker.topic.step.AtPartition;
import io.sluice.broker.topic.step.FindSubscriptions;
import io.sluice.broker.topic.step.PartitionStep;
import io.sluice.broker.topic.step.SubscribeFromStart;
import io.sluice.broker.topic.step.SubscribePartition;
import io.sluice.broker.topic.step.TopicSteps;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;

/**
 * Durable subscriptions of a topic that gets more partitions: the new ones have those of the others from their beginning, before anybody
 * is shown them. Else what is sent to a new partition before a consumer notices it is lost. Blocking; under the topic's lock.
 */
final class GrowthSubscriptions {
    /** Partitions that are asked, and subscriptions that are made, in one turn of a loop. */
    private static final int AT_ONCE = 1_000;

    private final ContainerOperations operations;

    /** @param operations in all containers */
    GrowthSubscriptions(ContainerOperations operations) {
        this.operations = operations;
    }

    /**
     * Properties of the subscriptions that any of the topic's first {@code count} partitions has, by stored name.
     *
     * @throws TopicException INVALID_PARTITIONS if they are more than a partition may have, UNAVAILABLE if one is not served
     */
    Map<String, Map<String, String>> of(Topic topic, int count) throws TopicException {
        Map<String, Map<String, String>> found = new HashMap<>();
        for (List<Integer> run : inOneContainer(topic, IntStream.range(0, count), AT_ONCE)) {
            List<Long> segments =
                    run.stream().map(p -> topic.partitions().get(p).segment()).toList();
            FindSubscriptions.Found here =
                    await(operations.ask(containerOf(topic, run), new FindSubscriptions(segments, topic.isElastic())));
            if (!here.isComplete()) {
                throw notHere(topic, run.get(segments.indexOf(here.notHere())));
            }
            found.putAll(here.properties());
        }
        found.remove(Subscriptions.COMPACTION);
        long ofShadows = found.keySet().stream()
                .filter(stored -> ShadowSubscription.parse(stored) != null)
                .count();
        if (Math.max(ofShadows, found.size() - ofShadows) > Subscriptions.MAX) {
            throw new TopicException(
                    Reason.INVALID_PARTITIONS,
                    "a partition has at most " + Subscriptions.MAX + " subscriptions, and those of topic "
                            + topic.name() + " have " + found.size() + " together");
        }
        return found;
    }

    /** Makes them in the partitions from {@code first} on, whose segments are made if they are not there; waits until that is durable. */
    void create(Topic topic, int first, Map<String, Map<String, String>> subscriptions) throws TopicException {
        if (subscriptions.isEmpty()) {
            return;
        }
        IntStream partitions = IntStream.range(first, topic.partitions().size());
        for (List<Integer> run : inOneContainer(topic, partitions, Math.max(1, AT_ONCE / subscriptions.size()))) {
            List<NewSegment> segments = run.stream()
                    .map(p -> TopicSteps.segment(topic.partitions().get(p).segment(), topic.attributes(p)))
                    .toList();
            long notHere =
                    await(operations.ask(containerOf(topic, run), new SubscribeFromStart(segments, subscriptions)));
            if (notHere >= 0) {
                throw TopicException.unavailable(
                        "segment " + notHere + " of topic " + topic.name() + " has no partition now");
            }
        }
    }

    /**
     * A subscription that a client makes.
     *
     * @param start where it begins; on the loop of the partition
     */
    record New(String name, Map<String, String> properties, SubscriptionStart start) {}

    /**
     * Makes a subscription, of the topic or of a shadow topic of it, in a partition, and in those from {@code first} on, where it is not there; waits until that is durable.
     *
     * @throws TopicException INVALID_SETTING if a partition takes no such subscription
     */
    void create(Topic topic, int partition, int first, New asked, TopicGrowth.Source source) throws TopicException {
        IntStream partitions = IntStream.range(0, topic.partitions().size()).filter(p -> p == partition || p >= first);
        var step = new SubscribePartition(Map.of(asked.name, asked.properties), asked.start);
        for (Map<String, String> refused : ask(topic, partitions, source.in(step))) {
            if (!refused.isEmpty()) {
                throw new TopicException(
                        Reason.INVALID_SETTING, refused.values().iterator().next());
            }
        }
    }

    /** Has a step carried out in the partitions from {@code first} on. */
    void ask(Topic topic, int first, PartitionStep<?> step) throws TopicException {
        ask(topic, IntStream.range(first, topic.partitions().size()), step);
    }

    private <T> List<T> ask(Topic topic, IntStream partitions, PartitionStep<T> step) throws TopicException {
        List<T> results = new ArrayList<>();
        for (List<Integer> run : inOneContainer(topic, partitions, AT_ONCE)) {
            List<CompletableFuture<T>> all = new ArrayList<>();
            for (int p : run) {
                NewSegment segment =
                        TopicSteps.segment(topic.partitions().get(p).segment(), topic.attributes(p));
                all.add(operations.ask(containerOf(topic, run), new AtPartition<>(segment, true, step)));
            }
            for (CompletableFuture<T> each : all) {
                results.add(await(each));
            }
        }
        return results;
    }

    private static TopicException notHere(Topic topic, int partition) {
        return TopicException.unavailable("partition " + partition + " of topic " + topic.name() + " is not here now");
    }

    private static int containerOf(Topic topic, List<Integer> partitions) {
        return topic.partitions().get(partitions.getFirst()).container();
    }

    /** Numbers of partitions that lie in the same container, at most so many together. */
    private static List<List<Integer>> inOneContainer(Topic topic, IntStream partitions, int most) {
        Map<Integer, List<Integer>> byContainer = new TreeMap<>();
        List<List<Integer>> runs = new ArrayList<>();
        partitions.forEach(p -> {
            int container = topic.partitions().get(p).container();
            List<Integer> run = byContainer.get(container);
            if (run == null || run.size() == most) {
                run = new ArrayList<>();
                byContainer.put(container, run);
                runs.add(run);
            }
            run.add(p);
        });
        return runs;
    }
}
