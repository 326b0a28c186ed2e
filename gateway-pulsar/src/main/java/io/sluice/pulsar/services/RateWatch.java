package io.sluice.pulsar.services;

import io.sluice.broker.topic.TopicCatalogue;
import io.sluice.pulsar.hub.Hubs;
import io.sluice.pulsar.namespace.RatePolicies;
import io.sluice.pulsar.nonpersistent.NonPersistentTopics;
import io.sluice.store.container.Tasks;

/** Tells partitions in use of their new rates, and clients of shadow topics that these are gone, soon after policies or topics have changed. */
public final class RateWatch {
    /** Between looks. */
    public static final long LOOK_MILLIS = 250;

    private final RatePolicies rates;
    private final TopicCatalogue catalogue;
    private final Hubs hubs;
    private final NonPersistentTopics notKept;
    private final Tasks tasks;
    private long seen;

    public RateWatch(
            RatePolicies rates, TopicCatalogue catalogue, Hubs hubs, NonPersistentTopics notKept, Tasks tasks) {
        this.notKept = notKept;
        this.rates = rates;
        this.catalogue = catalogue;
        this.hubs = hubs;
        this.tasks = tasks;
    }

    /** Looks whether something has changed; from time to time, on one thread. */
    public void look() {
        long now = rates.version();
        if (now != seen) {
            seen = now;
            tasks.start("follow changed rates", () -> {
                hubs.followRates();
                hubs.endShadows(topic -> catalogue.find(topic) == null);
                notKept.followRates();
            });
        }
    }
}
