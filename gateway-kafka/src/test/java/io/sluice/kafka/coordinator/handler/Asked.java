package io.sluice.kafka.coordinator.handler;

import static org.awaitility.Awaitility.await;

import io.sluice.kafka.LocalClient;
import io.sluice.kafka.api.ApiHandler;
import io.sluice.kafka.api.ClientConnection;
import io.sluice.kafka.api.RequestContext;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.message.ListGroupsRequestData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.protocol.MessageUtil;
import org.apache.kafka.common.requests.AbstractRequest;
import org.apache.kafka.common.requests.AbstractResponse;
import org.apache.kafka.common.requests.ListGroupsResponse;
import org.apache.kafka.common.requests.RequestHeader;
import org.jspecify.annotations.Nullable;

/** One request to a handler, written and read in its version as on a wire, and so its answer. */
final class Asked implements RequestContext {
    private final RequestHeader header;
    private final AbstractRequest request;
    private final CompletableFuture<ApiMessage> answer = new CompletableFuture<>();

    private Asked(ApiKeys api, short version, ApiMessage message) {
        header = new RequestHeader(api, version, "client", 1);
        ByteBufferAccessor bytes = MessageUtil.toByteBufferAccessor(message, version);
        request = AbstractRequest.parseRequest(api, version, bytes).request;
    }

    /** The answer, as a client of that version reads it. */
    static AbstractResponse ask(ApiHandler handler, int version, ApiMessage message) {
        Asked asked = new Asked(handler.key(), (short) version, message);
        handler.handle(asked, asked.request);
        try {
            ApiMessage answer = asked.answer.get(20, TimeUnit.SECONDS);
            return AbstractResponse.parseResponse(
                    handler.key(), MessageUtil.toByteBufferAccessor(answer, (short) version), (short) version);
        } catch (Exception e) {
            throw new AssertionError(handler.key() + " v" + version, e);
        }
    }

    /** Waits until groups of every partition are loaded. */
    static void untilLoaded(ApiHandler listGroups) {
        await().pollDelay(Duration.ZERO).until(() -> {
            var groups = (ListGroupsResponse) ask(listGroups, 0, new ListGroupsRequestData());
            return groups.data().errorCode() == Errors.NONE.code();
        });
    }

    @Override
    public RequestHeader header() {
        return header;
    }

    @Override
    public ClientConnection connection() {
        return new LocalClient();
    }

    @Override
    public void complete(ApiMessage response) {
        answer.complete(response);
    }

    @Override
    public void fail(Errors error, @Nullable String message) {
        answer.complete(request.getErrorResponse(0, error.exception(message)).data());
    }

    @Override
    public void complete(DeferredResponse response) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void deadline(long delayMillis, Runnable onExpiry) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void onDisconnect(Runnable action) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void onRightsChange(Runnable action) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void offLoop(Executor executor, OffLoop work) {
        throw new AssertionError("group requests are light");
    }

    @Override
    public boolean holdMore(int bytes) {
        throw new UnsupportedOperationException();
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
