package io.sluice.pulsar.admin;

import io.sluice.broker.topic.TopicException;
import io.sluice.pulsar.error.ErrorMapping;
import io.sluice.pulsar.topic.TopicAccess;
import io.sluice.store.segment.StoreFailure;

/** A request that is refused: status and reason as the admin client shows them. */
final class AdminException extends Exception {
    private final int status;

    AdminException(int status, String reason) {
        super(reason, null, false, false);
        this.status = status;
    }

    static AdminException of(TopicException why) {
        return new AdminException(ErrorMapping.httpStatus(why.reason()), TopicAccess.messageOf(why));
    }

    static AdminException of(StoreFailure why) {
        return new AdminException(ErrorMapping.httpStatus(why), why.message());
    }

    int status() {
        return status;
    }

    String reason() {
        String message = getMessage();
        return message == null ? "" : message;
    }
}
