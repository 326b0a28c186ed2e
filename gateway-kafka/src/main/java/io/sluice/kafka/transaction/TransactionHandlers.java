package io.sluice.kafka.transaction;

import io.sluice.kafka.api.ApiHandler;
import io.sluice.kafka.api.KafkaServices;
import io.sluice.transactions.TransactionAuthority;
import java.util.List;

/** All handlers of this package, for the table of APIs. */
public final class TransactionHandlers {
    private TransactionHandlers() {}

    public static List<ApiHandler> of(KafkaServices services, TransactionAuthority authority) {
        return List.of(
                new InitProducerIdHandler(services, authority),
                new AddPartitionsToTxnHandler(services.access(), authority),
                new EndTxnHandler(services.access(), authority),
                new DescribeTransactionsHandler(services.access(), authority),
                new ListTransactionsHandler(services.access(), authority, services.clock()));
    }
}
