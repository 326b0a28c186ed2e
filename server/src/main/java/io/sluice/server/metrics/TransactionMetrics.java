package io.sluice.server.metrics;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.sluice.transactions.TransactionAuthority;
import io.sluice.transactions.TransactionCounts;
import java.util.function.ToDoubleFunction;

/** Meters of the transactions of Kafka's clients. */
public final class TransactionMetrics {
    private static final double MILLIS = 1_000;

    private TransactionMetrics() {}

    public static void register(MeterRegistry registry, TransactionAuthority authority) {
        Gauge.builder("sluice.kafka.transactions.open", authority, TransactionAuthority::open)
                .description("transactions of Kafka's clients that are open")
                .register(registry);
        Gauge.builder("sluice.kafka.transactions.oldest.seconds", authority, a -> a.eldestOpenMillis() / MILLIS)
                .description("for how long the oldest of them has been open; 0 if none is")
                .register(registry);
        Gauge.builder("sluice.kafka.transactional.ids", authority, TransactionAuthority::knownIds)
                .description("transactional ids that are known, those of Pulsar's transactions among them")
                .register(registry);
        counter(registry, authority, "begun", "transactions that Kafka's clients have begun", TransactionCounts::begun);
        counter(
                registry,
                authority,
                "committed",
                "transactions of Kafka's clients that were committed",
                TransactionCounts::committed);
        counter(
                registry,
                authority,
                "aborted",
                "transactions of Kafka's clients that were aborted, by time-out and by fencing too",
                TransactionCounts::aborted);
        counter(
                registry,
                authority,
                "timed.out",
                "transactions of Kafka's clients that were open for longer than they might",
                TransactionCounts::timedOut);
        counter(
                registry,
                authority,
                "fenced",
                "transactions that were open when another producer with the same id began",
                TransactionCounts::fenced);
    }

    private static void counter(
            MeterRegistry registry,
            TransactionAuthority authority,
            String name,
            String description,
            ToDoubleFunction<TransactionCounts> count) {
        FunctionCounter.builder("sluice.kafka.transactions." + name, authority.counts(), count)
                .description(description)
                .register(registry);
    }
}
