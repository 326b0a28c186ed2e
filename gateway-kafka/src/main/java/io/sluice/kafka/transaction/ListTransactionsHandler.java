package io.sluice.kafka.transaction;

import com.google.re2j.Pattern;
import com.google.re2j.PatternSyntaxException;
import io.sluice.broker.access.Operation;
import io.sluice.broker.access.ResourceType;
import io.sluice.kafka.api.ApiHandler;
import io.sluice.kafka.api.KafkaAccess;
import io.sluice.kafka.api.KafkaErrors;
import io.sluice.kafka.api.RequestContext;
import io.sluice.transactions.TransactionAuthority;
import io.sluice.transactions.TransactionDescription;
import io.sluice.transactions.TransactionException;
import java.util.HashSet;
import java.util.Set;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import org.apache.kafka.common.message.ListTransactionsRequestData;
import org.apache.kafka.common.message.ListTransactionsResponseData;
import org.apache.kafka.common.message.ListTransactionsResponseData.TransactionState;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.AbstractRequest;
import org.jspecify.annotations.Nullable;

/**
 * ListTransactions, all versions, with their filters: state, producer id, duration, from v2 on a pattern (RE2) of the id.
 * Transactions that the client may not describe are left out.
 */
final class ListTransactionsHandler implements ApiHandler {
    private final KafkaAccess access;
    private final TransactionAuthority authority;
    private final LongSupplier clock;

    ListTransactionsHandler(KafkaAccess access, TransactionAuthority authority, LongSupplier clock) {
        this.access = access;
        this.authority = authority;
        this.clock = clock;
    }

    @Override
    public ApiKeys key() {
        return ApiKeys.LIST_TRANSACTIONS;
    }

    @Override
    public void handle(RequestContext context, AbstractRequest request) {
        ListTransactionsRequestData asked = (ListTransactionsRequestData) request.data();
        ListTransactionsResponseData answer = new ListTransactionsResponseData();
        asked.stateFilters().stream()
                .distinct()
                .filter(name -> org.apache.kafka.coordinator.transaction.TransactionState.fromName(name)
                        .isEmpty())
                .forEach(answer.unknownStateFilters()::add);
        try {
            for (TransactionDescription found : authority.list(filter(asked))) {
                if (!access.shows(
                        context.principal(),
                        Operation.DESCRIBE,
                        ResourceType.TRANSACTIONAL_ID,
                        found.transactionalId())) {
                    continue;
                }
                answer.transactionStates()
                        .add(new TransactionState()
                                .setTransactionalId(found.transactionalId())
                                .setProducerId(found.producer().id())
                                .setTransactionState(found.state()));
            }
        } catch (TransactionException e) {
            answer = failed(KafkaErrors.of(e.error()));
        } catch (PatternSyntaxException e) {
            answer = failed(Errors.INVALID_REGULAR_EXPRESSION);
        }
        context.complete(answer);
    }

    /** With nothing else in it. */
    private static ListTransactionsResponseData failed(Errors error) {
        return new ListTransactionsResponseData().setErrorCode(error.code());
    }

    private Predicate<TransactionDescription> filter(ListTransactionsRequestData asked) {
        Set<String> states = new HashSet<>(asked.stateFilters());
        Set<Long> producers = new HashSet<>(asked.producerIdFilters());
        @Nullable String regex = asked.transactionalIdPattern();
        @Nullable Pattern pattern = regex == null || regex.isEmpty() ? null : Pattern.compile(regex);
        long startedBefore = clock.getAsLong() - asked.durationFilter();
        return found -> (states.isEmpty() || states.contains(found.state()))
                && (producers.isEmpty() || producers.contains(found.producer().id()))
                && (asked.durationFilter() < 0 || found.startedAt() < startedBefore)
                && (pattern == null || pattern.matches(found.transactionalId()));
    }
}
