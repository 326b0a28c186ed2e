package io.sluice.kafka.subscription;

import io.sluice.broker.topic.Topic;
import io.sluice.broker.topic.step.ChangeIdleSubscription;
import io.sluice.broker.topic.step.ChangeIdleSubscription.Outcome;
import io.sluice.broker.topic.step.LookAtSubscription;
import io.sluice.broker.topic.step.LookAtSubscription.Position;
import io.sluice.broker.topic.step.PartitionStep;
import io.sluice.kafka.api.KafkaServices;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;

/** Positions of a subscription in partitions of a topic, whichever nodes serve these. Any thread; does not block. */
final class SubscriptionPositions {
    private final KafkaServices services;

    SubscriptionPositions(KafkaServices services) {
        this.services = services;
    }

    /** In all partitions, by number. */
    CompletableFuture<Map<Integer, Position>> of(Topic topic, String subscription) {
        return of(topic, subscription, all(topic));
    }

    CompletableFuture<Map<Integer, Position>> of(Topic topic, String subscription, Collection<Integer> partitions) {
        Map<Integer, PartitionStep<Position>> steps = new LinkedHashMap<>();
        partitions.forEach(p -> steps.put(p, new LookAtSubscription(subscription)));
        return ask(topic, steps);
    }

    /** @param offsets by partition */
    CompletableFuture<Map<Integer, Outcome>> set(Topic topic, String subscription, Map<Integer, Long> offsets) {
        Map<Integer, PartitionStep<Outcome>> steps = new LinkedHashMap<>();
        offsets.forEach((p, offset) -> steps.put(p, new ChangeIdleSubscription(subscription, offset)));
        return ask(topic, steps);
    }

    CompletableFuture<Map<Integer, Outcome>> delete(Topic topic, String subscription, Collection<Integer> partitions) {
        Map<Integer, PartitionStep<Outcome>> steps = new LinkedHashMap<>();
        partitions.forEach(p -> steps.put(p, new ChangeIdleSubscription(subscription, ChangeIdleSubscription.DELETE)));
        return ask(topic, steps);
    }

    static Collection<Integer> all(Topic topic) {
        return IntStream.range(0, topic.partitions().size()).boxed().toList();
    }

    private <T> CompletableFuture<Map<Integer, T>> ask(Topic topic, Map<Integer, PartitionStep<T>> steps) {
        Map<Integer, CompletableFuture<T>> asked = new LinkedHashMap<>();
        steps.forEach((p, step) -> asked.put(p, services.partitions().ask(topic, p, step)));
        return CompletableFuture.allOf(asked.values().toArray(CompletableFuture[]::new))
                .thenApply(_ -> {
                    Map<Integer, T> answers = new LinkedHashMap<>();
                    asked.forEach((p, answer) -> answers.put(p, answer.join()));
                    return answers;
                });
    }
}
