package io.sluice.pulsar.websocket;

import org.apache.pulsar.common.api.proto.ServerError;

/** Statuses over HTTP of what the gateway refuses, as Pulsar's WebSocket service has them. */
final class HandshakeErrors {
    private HandshakeErrors() {}

    static int status(ServerError error) {
        return switch (error) {
            case InvalidTopicName -> 400;
            case AuthenticationError -> 401;
            case AuthorizationError -> 403;
            case TopicNotFound, SubscriptionNotFound, ConsumerNotFound -> 404;
            case ProducerBusy, ConsumerBusy, ProducerFenced, IncompatibleSchema, ConsumerAssignError -> 409;
            case TooManyRequests -> 429;
            case ProducerBlockedQuotaExceededError,
                    ProducerBlockedQuotaExceededException,
                    TopicTerminatedError,
                    ServiceNotReady -> 503;
            default -> 500;
        };
    }
}
