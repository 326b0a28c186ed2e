package io.sluice.kafka.handler;

import io.sluice.broker.access.Principal;
import io.sluice.kafka.LocalClient;
import io.sluice.kafka.api.ClientConnection;
import io.sluice.kafka.api.RequestContext;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.RequestHeader;
import org.jspecify.annotations.Nullable;

/** A request whose answer is looked at as the handler made it. */
final class CollectedAnswer implements RequestContext {
    private final RequestHeader header;
    private final CompletableFuture<ApiMessage> answer = new CompletableFuture<>();

    CollectedAnswer(RequestHeader header) {
        this.header = header;
    }

    CompletableFuture<ApiMessage> answer() {
        return answer;
    }

    @Override
    public RequestHeader header() {
        return header;
    }

    @Override
    public void complete(ApiMessage response) {
        answer.complete(response);
    }

    @Override
    public void complete(DeferredResponse response) {
        answer.complete(response.make());
        response.release();
    }

    @Override
    public void fail(Errors error, @Nullable String message) {
        answer.completeExceptionally(error.exception(message));
    }

    @Override
    public ClientConnection connection() {
        return new LocalClient();
    }

    @Override
    public Principal principal() {
        return Principal.ANONYMOUS;
    }

    /** Is not kept: answers are waited for. */
    @Override
    public void deadline(long delayMillis, Runnable onExpiry) {}

    @Override
    public void onDisconnect(Runnable action) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void onRightsChange(Runnable action) {
        throw new UnsupportedOperationException();
    }

    @Override
    public boolean holdMore(int bytes) {
        return true;
    }

    /** Without a loop to return to. */
    @Override
    public void offLoop(Executor executor, OffLoop work) {
        executor.execute(() -> {
            work.run();
            work.done();
        });
    }

    @Override
    public void completeSilently() {
        throw new UnsupportedOperationException();
    }

    @Override
    public void disconnect() {
        throw new UnsupportedOperationException();
    }
}
