package io.sluice.kafka.transaction;

import io.sluice.kafka.api.ApiHandler;
import io.sluice.kafka.api.Backend;
import io.sluice.transactions.TransactionAuthority;
import java.util.List;

/** All handlers of this package, for the table of APIs. */
public final class TransactionHandlers {
    private TransactionHandlers() {}

    public static List<ApiHandler> of(Backend backend, TransactionAuthority authority) {
        return List.of(
                new InitProducerIdHandler(backend, authority),
                new AddPartitionsToTxnHandler(backend.access(), authority),
                new EndTxnHandler(authority),
                new DescribeTransactionsHandler(backend.access(), authority),
                new ListTransactionsHandler(authority, backend.clock()));
    }
}
