package io.sluice.pulsar.admin;

import io.sluice.broker.topic.TopicException;
import io.sluice.pulsar.error.ErrorMapping;
import io.sluice.pulsar.registry.RegistryException;
import io.sluice.pulsar.topic.TopicAccess;
import io.sluice.store.segment.StoreFailure;
import org.jspecify.annotations.Nullable;

/** A request that is refused: status and reason as the admin client shows them. */
final class AdminException extends Exception {
    private static final int TEMPORARY_REDIRECT = 307;

    private final int status;
    private final @Nullable String url;
    private final boolean moved;
    private final @Nullable RegistryException ofRegistry;

    AdminException(int status, String reason) {
        this(status, reason, null, false, null);
    }

    private AdminException(
            int status, String reason, @Nullable String url, boolean moved, @Nullable RegistryException ofRegistry) {
        super(reason, null, false, false);
        this.status = status;
        this.url = url;
        this.moved = moved;
        this.ofRegistry = ofRegistry;
    }

    /** Is told in the form that the registry's clients read. */
    static AdminException of(RegistryException why) {
        return new AdminException(why.status(), why.message(), null, false, why);
    }

    static AdminException of(TopicException why) {
        return new AdminException(ErrorMapping.httpStatus(why.reason()), TopicAccess.messageOf(why));
    }

    static AdminException of(StoreFailure why) {
        return new AdminException(ErrorMapping.httpStatus(why), why.message());
    }

    /** The node at this URL, without a path, can answer the request. */
    static AdminException answeredBy(String url) {
        return new AdminException(TEMPORARY_REDIRECT, "another node serves it", url, false, null);
    }

    /** The node that was asked has given it away meanwhile, and has done nothing. */
    static AdminException moved(String reason) {
        return new AdminException(503, reason, null, true, null);
    }

    boolean isMoved() {
        return moved;
    }

    /** Null unless another node is to be asked. */
    @Nullable
    String url() {
        return url;
    }

    /** Null unless it was a request to the registry. */
    @Nullable
    RegistryException ofRegistry() {
        return ofRegistry;
    }

    int status() {
        return status;
    }

    String reason() {
        String message = getMessage();
        return message == null ? "" : message;
    }
}
