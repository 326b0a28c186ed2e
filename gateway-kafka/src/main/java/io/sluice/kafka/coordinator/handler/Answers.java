package io.sluice.kafka.coordinator.handler;

import io.sluice.kafka.api.RequestContext;
import io.sluice.store.segment.StoreException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.Errors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Turns what the coordinator promises into the answer to a request; a failure becomes the API's own error response. */
final class Answers {
    private static final Logger LOG = LoggerFactory.getLogger(Answers.class);

    private Answers() {}

    static void send(RequestContext context, Supplier<CompletableFuture<? extends ApiMessage>> question) {
        send(context, question, answer -> answer);
    }

    /** {@code toResponse} runs on the coordinator's thread. */
    static <T> void send(
            RequestContext context,
            Supplier<? extends CompletableFuture<? extends T>> question,
            Function<? super T, ? extends ApiMessage> toResponse) {
        try {
            question.get().whenComplete((answer, failure) -> {
                if (failure == null) {
                    answer(context, answer, toResponse);
                } else {
                    fail(context, failure);
                }
            });
        } catch (RuntimeException e) {
            fail(context, e);
        }
    }

    /** The answers, and then those to some more questions. */
    static <T> CompletableFuture<List<T>> appended(
            CompletableFuture<List<T>> answers, Stream<CompletableFuture<T>> more) {
        CompletableFuture<List<T>> all = answers.thenApply(ArrayList::new);
        for (CompletableFuture<T> each : more.toList()) {
            all = all.thenCombine(each, (list, answer) -> {
                list.add(answer);
                return list;
            });
        }
        return all;
    }

    private static <T> void answer(
            RequestContext context, T answer, Function<? super T, ? extends ApiMessage> toResponse) {
        ApiMessage response;
        try {
            response = toResponse.apply(answer);
        } catch (RuntimeException e) {
            fail(context, e);
            return;
        }
        context.complete(response);
    }

    private static void fail(RequestContext context, Throwable failure) {
        Errors error = errorOf(failure);
        if (error == Errors.UNKNOWN_SERVER_ERROR) {
            LOG.error("{} of {} failed", context.header().apiKey(), context.clientId(), failure);
        }
        context.fail(error);
    }

    /** As Kafka's coordinator maps failures of its log where it does not do so itself. */
    static Errors errorOf(Throwable failure) {
        Errors error = Errors.forException(StoreException.causeOf(failure));
        return switch (error) {
            case UNKNOWN_TOPIC_OR_PARTITION, NOT_ENOUGH_REPLICAS, REQUEST_TIMED_OUT -> Errors.COORDINATOR_NOT_AVAILABLE;
            case NOT_LEADER_OR_FOLLOWER, KAFKA_STORAGE_ERROR -> Errors.NOT_COORDINATOR;
            default -> error;
        };
    }
}
