package io.sluice.server.metrics;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.BaseUnits;
import io.sluice.broker.Broker;
import io.sluice.broker.topic.Topic;
import io.sluice.kafka.coordinator.CommittedOffsets;
import io.sluice.kafka.coordinator.GroupCoordinators;
import java.time.Duration;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.ToIntFunction;
import java.util.function.ToLongFunction;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Figures of topics, subscriptions and groups: looked up round after round, so nothing on the way of a record counts them.
 * Of each, only the first 1,000 by name are shown, so that a scrape stays small.
 */
public final class TopicMetrics implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(TopicMetrics.class);
    private static final Duration PAUSE = Duration.ofSeconds(10);
    private static final Duration PATIENCE = Duration.ofSeconds(5);

    /** Maximum number of topics, of subscriptions, of groups, and of topics of groups that are exposed. */
    private static final int MOST = 1_000;

    private final Broker broker;
    private final CommittedOffsets committed;
    private final Figures ends;
    private final Figures bytes;
    private final Figures partitions;
    private final Figures backlogs;
    private final Figures lags;
    private final ScheduledExecutorService thread = Executors.newSingleThreadScheduledExecutor(
            Thread.ofPlatform().daemon().name("topic-metrics").factory());
    private volatile Counts counts = new Counts(0, 0, 0);

    /** All there are, shown or not; of groups and subscriptions those that were looked at. */
    private record Counts(int topics, int subscriptions, int groups) {}

    private TopicMetrics(MeterRegistry metrics, Broker broker, GroupCoordinators groups) {
        this.broker = broker;
        this.committed = new CommittedOffsets(groups, PATIENCE);
        ends = gauge(
                metrics, "sluice.topic.end.offset", "end offsets of its partitions together; the rate is messages in");
        bytes = new Figures(MultiGauge.builder("sluice.topic.stored")
                .baseUnit(BaseUnits.BYTES)
                .description("bytes kept, in the log and in long-term storage")
                .register(metrics));
        partitions = gauge(metrics, "sluice.topic.partitions", "its partitions");
        backlogs = gauge(
                metrics,
                "sluice.pulsar.subscription.backlog",
                "messages that a durable subscription has not acknowledged");
        lags = gauge(metrics, "sluice.kafka.group.lag", "records after those that a group has committed");
        count(
                metrics,
                "sluice.topics",
                "topics of clients; the first 1,000 by name have figures of their own",
                Counts::topics);
        Gauge.builder("sluice.topic.changes.interrupted", broker, Broker::interruptedChanges)
                .description("topics whose creation, move, split or deletion failed on its way and is tried again")
                .register(metrics);
        count(metrics, "sluice.pulsar.subscriptions", "durable subscriptions of these topics", Counts::subscriptions);
        count(metrics, "sluice.kafka.groups", "groups that are coordinated here, up to 1,000", Counts::groups);
    }

    public static TopicMetrics start(MeterRegistry metrics, Broker broker, GroupCoordinators groups) {
        var topics = new TopicMetrics(metrics, broker, groups);
        topics.thread.scheduleWithFixedDelay(topics::round, 1, PAUSE.toSeconds(), TimeUnit.SECONDS);
        return topics;
    }

    private static Figures gauge(MeterRegistry metrics, String name, String description) {
        return new Figures(MultiGauge.builder(name).description(description).register(metrics));
    }

    private void count(MeterRegistry metrics, String name, String description, ToIntFunction<Counts> figure) {
        Gauge.builder(name, this, self -> figure.applyAsInt(self.counts))
                .description(description)
                .register(metrics);
    }

    private void round() {
        try {
            look();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (RuntimeException | Error e) { // an error, too, would end all rounds, and not be told
            log.warn("No new figures of topics and groups: {}; the next round begins anew", e.toString());
        }
    }

    private void look() throws InterruptedException {
        List<Topic> topics = broker.catalogue().all().stream()
                .filter(topic -> !topic.internal())
                .toList();
        List<TopicFigures> shown = TopicFigures.of(
                topics.stream()
                        .sorted(Comparator.comparing(topic -> topic.name().toString()))
                        .limit(MOST)
                        .toList(),
                broker,
                PATIENCE);
        ends.set(figures(shown, TopicFigures::endOffset));
        bytes.set(figures(shown, TopicFigures::bytes));
        partitions.set(figures(shown, TopicFigures::partitions));
        Map<Tags, Long> behind = new LinkedHashMap<>();
        for (TopicFigures topic : shown) {
            topic.backlogs()
                    .forEach((name, backlog) ->
                            behind.put(Tags.of("topic", topic.name(), "subscription", name), backlog));
        }
        backlogs.set(firstOf(behind));
        List<String> groups = committed.groups(MOST);
        lags.set(firstOf(lagging(groups, shown)));
        counts = new Counts(topics.size(), behind.size(), groups.size());
    }

    private Map<Tags, Long> lagging(List<String> groups, List<TopicFigures> shown) throws InterruptedException {
        Map<String, TopicFigures> byName = new HashMap<>();
        shown.forEach(topic -> byName.put(topic.name(), topic));
        Map<Tags, Long> behind = new LinkedHashMap<>();
        committed.of(groups).forEach((group, offsets) -> {
            Map<String, Long> byTopic = new HashMap<>();
            offsets.forEach((place, offset) -> {
                TopicFigures topic = byName.get(place.topic());
                if (topic != null && offset >= 0) {
                    byTopic.merge(topic.name(), topic.after(place.partition(), offset), Long::sum);
                }
            });
            byTopic.forEach((topic, lag) -> behind.put(Tags.of("group", group, "topic", topic), lag));
        });
        return behind;
    }

    private static Map<Tags, Long> figures(List<TopicFigures> topics, ToLongFunction<TopicFigures> figure) {
        Map<Tags, Long> figures = new HashMap<>();
        topics.forEach(topic -> figures.put(Tags.of("topic", topic.name()), figure.applyAsLong(topic)));
        return figures;
    }

    private static Map<Tags, Long> firstOf(Map<Tags, Long> figures) {
        Map<Tags, Long> first = new HashMap<>();
        figures.entrySet().stream().limit(MOST).forEach(each -> first.put(each.getKey(), each.getValue()));
        return first;
    }

    @Override
    public void close() throws InterruptedException {
        thread.shutdownNow();
        thread.awaitTermination(1, TimeUnit.SECONDS);
    }
}
