package io.sluice.server;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.MultiGauge.Row;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.BaseUnits;
import io.sluice.broker.Broker;
import io.sluice.broker.topic.Topic;
import io.sluice.kafka.coordinator.CommittedOffsets;
import io.sluice.kafka.coordinator.GroupCoordinators;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
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
final class TopicMetrics implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(TopicMetrics.class);
    private static final Duration PAUSE = Duration.ofSeconds(10);
    private static final Duration PATIENCE = Duration.ofSeconds(5);

    /** Of topics, of subscriptions, of groups, and of topics of groups. */
    private static final int MOST = 1_000;

    private final Broker broker;
    private final CommittedOffsets committed;
    private final MultiGauge ends;
    private final MultiGauge bytes;
    private final MultiGauge partitions;
    private final MultiGauge backlogs;
    private final MultiGauge lags;
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
        bytes = MultiGauge.builder("sluice.topic.stored")
                .baseUnit(BaseUnits.BYTES)
                .description("bytes kept, in the log and in long-term storage")
                .register(metrics);
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
        count(metrics, "sluice.pulsar.subscriptions", "durable subscriptions of these topics", Counts::subscriptions);
        count(metrics, "sluice.kafka.groups", "groups that are coordinated here, up to 1,000", Counts::groups);
    }

    static TopicMetrics start(MeterRegistry metrics, Broker broker, GroupCoordinators groups) {
        var topics = new TopicMetrics(metrics, broker, groups);
        topics.thread.scheduleWithFixedDelay(topics::round, 1, PAUSE.toSeconds(), TimeUnit.SECONDS);
        return topics;
    }

    private static MultiGauge gauge(MeterRegistry metrics, String name, String description) {
        return MultiGauge.builder(name).description(description).register(metrics);
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
        } catch (RuntimeException | Error e) { // an error, too, would end all rounds, and nobody would be told
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
        ends.register(rows(shown, TopicFigures::endOffset), true);
        bytes.register(rows(shown, TopicFigures::bytes), true);
        partitions.register(rows(shown, TopicFigures::partitions), true);
        List<Row<?>> behind = new ArrayList<>();
        for (TopicFigures topic : shown) {
            topic.backlogs()
                    .forEach((name, backlog) ->
                            behind.add(Row.of(Tags.of("topic", topic.name(), "subscription", name), backlog)));
        }
        backlogs.register(firstOf(behind), true);
        List<String> groups = committed.groups(MOST);
        lags.register(firstOf(lagging(groups, shown)), true);
        counts = new Counts(topics.size(), behind.size(), groups.size());
    }

    private List<Row<?>> lagging(List<String> groups, List<TopicFigures> shown) throws InterruptedException {
        Map<String, TopicFigures> byName = new HashMap<>();
        shown.forEach(topic -> byName.put(topic.name(), topic));
        List<Row<?>> rows = new ArrayList<>();
        committed.of(groups).forEach((group, offsets) -> {
            Map<String, Long> byTopic = new HashMap<>();
            offsets.forEach((place, offset) -> {
                TopicFigures topic = byName.get(place.topic());
                if (topic != null && offset >= 0) {
                    byTopic.merge(topic.name(), topic.after(place.partition(), offset), Long::sum);
                }
            });
            byTopic.forEach((topic, lag) -> rows.add(Row.of(Tags.of("group", group, "topic", topic), lag)));
        });
        return rows;
    }

    private static List<Row<?>> rows(List<TopicFigures> topics, ToLongFunction<TopicFigures> figure) {
        List<Row<?>> rows = new ArrayList<>();
        topics.forEach(topic -> rows.add(Row.of(Tags.of("topic", topic.name()), figure.applyAsLong(topic))));
        return rows;
    }

    private static List<Row<?>> firstOf(List<Row<?>> rows) {
        return rows.subList(0, Math.min(rows.size(), MOST));
    }

    @Override
    public void close() throws InterruptedException {
        thread.shutdownNow();
        thread.awaitTermination(1, TimeUnit.SECONDS);
    }
}
