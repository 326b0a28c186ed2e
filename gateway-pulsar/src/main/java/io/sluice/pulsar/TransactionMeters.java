package io.sluice.pulsar;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.sluice.transactions.SingleTransactions;
import io.sluice.transactions.TransactionCounts;
import java.util.function.ToDoubleFunction;

/** Meters of the transactions of Pulsar's clients. */
final class TransactionMeters {
    private TransactionMeters() {}

    static void register(MeterRegistry registry, SingleTransactions transactions) {
        Gauge.builder("sluice.pulsar.transactions.open", transactions, SingleTransactions::open)
                .description("transactions of Pulsar's clients that are open")
                .register(registry);
        counter(
                registry,
                transactions,
                "begun",
                "transactions that Pulsar's clients have begun",
                TransactionCounts::begun);
        counter(
                registry,
                transactions,
                "committed",
                "transactions of Pulsar's clients that were committed",
                TransactionCounts::committed);
        counter(
                registry,
                transactions,
                "aborted",
                "transactions of Pulsar's clients that were aborted, by time-out too",
                TransactionCounts::aborted);
    }

    private static void counter(
            MeterRegistry registry,
            SingleTransactions transactions,
            String name,
            String description,
            ToDoubleFunction<TransactionCounts> count) {
        FunctionCounter.builder("sluice.pulsar.transactions." + name, transactions.counts(), count)
                .description(description)
                .register(registry);
    }
}
