package io.sluice.kafka.handler;

import io.netty.buffer.ByteBuf;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.Errors;
import org.apache.kafka.common.requests.RequestHeader;
import org.jspecify.annotations.Nullable;

/**
 * One request under way. Any thread. Responses leave in the order in which the connection's requests came, whatever the
 * order of completion; a response to a connection that has closed meanwhile is dropped.
 */
public interface RequestContext {
    RequestHeader header();

    default short version() {
        return header().apiVersion();
    }

    /** Never null; empty if the client gave none. */
    default String clientId() {
        String id = header().clientId();
        return id == null ? "" : id;
    }

    ClientConnection connection();

    /** Answers. The message is serialised in the request's version, on the connection's loop. */
    void complete(ApiMessage response);

    /** Answers with bytes that already are the response body in the request's version; ownership passes. */
    void completeRaw(ByteBuf body);

    /** Ends the request without an answer, for Produce with acks=0. */
    void completeSilently();

    /** Answers with the API's own form of an error response. Not for {@link RawApiHandler}s. */
    void fail(Errors error, @Nullable String message);

    default void fail(Errors error) {
        fail(error, null);
    }

    /** Closes the connection: the only answer Kafka gives to what it cannot parse. */
    void disconnect();

    /** The same, in the form that Kafka's own coordinator modules take. */
    default org.apache.kafka.common.requests.RequestContext toKafka() {
        return connection().toKafka(header());
    }
}
