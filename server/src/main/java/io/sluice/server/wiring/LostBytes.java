package io.sluice.server.wiring;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.BaseUnits;
import io.sluice.broker.log.SegmentPlace;
import io.sluice.broker.topic.Topic;
import io.sluice.broker.topic.TopicCatalogue;
import io.sluice.server.containers.ServingListener;
import io.sluice.store.container.Tasks;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Tells what was lost of that which containers had acknowledged before it was on the disks: in the log by topic, and as a metric. */
final class LostBytes implements ServingListener {
    private static final Logger log = LoggerFactory.getLogger(LostBytes.class);

    private final Supplier<TopicCatalogue> catalogue;
    private final Tasks tasks;
    /** Containers tell before the metrics are there. */
    private final AtomicLong bytes = new AtomicLong();

    LostBytes(Supplier<TopicCatalogue> catalogue, Tasks tasks) {
        this.catalogue = catalogue;
        this.tasks = tasks;
    }

    void bind(MeterRegistry metrics) {
        FunctionCounter.builder("sluice.lost", bytes, AtomicLong::get)
                .baseUnit(BaseUnits.BYTES)
                .description(
                        "bytes that were acknowledged before their sync, as their topics' durability allows, and are gone")
                .register(metrics);
    }

    @Override
    public void lost(int container, Map<Long, Long> gone) {
        gone.values().forEach(bytes::addAndGet);
        tasks.start("tell what is lost", () -> tell(container, gone));
    }

    private void tell(int container, Map<Long, Long> gone) {
        Map<String, Long> byTopic = new TreeMap<>();
        Set<Long> nobodys = new HashSet<>(gone.keySet());
        for (Topic topic : catalogue.get().all()) {
            for (Topic.Placement placement : topic.partitions()) {
                for (SegmentPlace place : placement.segments()) {
                    Long lost = place.container() == container ? gone.get(place.segment()) : null;
                    if (lost != null) {
                        byTopic.merge(topic.name().toString(), lost, Long::sum);
                        nobodys.remove(place.segment());
                    }
                }
            }
        }
        byTopic.forEach((topic, lost) -> log.warn(
                "Topic {} has lost {} bytes that container {} had acknowledged before they were on the disks, which its"
                        + " durability allows",
                topic,
                lost,
                container));
        nobodys.forEach(segment -> log.warn(
                "Container {} has lost {} bytes of segment {}, whose topic is not known, that it had acknowledged before they"
                        + " were on the disks",
                container,
                gone.get(segment),
                segment));
    }

    @Override
    public void serving(int container) {}

    @Override
    public void stopped(int container) {}
}
