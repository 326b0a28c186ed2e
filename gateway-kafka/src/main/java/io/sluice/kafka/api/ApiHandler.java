package io.sluice.kafka.api;

import org.apache.kafka.common.requests.AbstractRequest;

/** An API whose request is parsed by Kafka's own message classes. Everything but Produce and Fetch is one of these. */
public non-sealed interface ApiHandler extends Api {
    /**
     * Called on the connection's Netty loop: never blocks. Exactly one of the completing methods of {@code context} is
     * called, once, now or later, from any thread.
     *
     * @param request parsed, of a version within {@link #minVersion} to {@link #maxVersion}; {@code request.data()} is the
     *     message. It holds no network buffer, so it may be kept
     */
    void handle(RequestContext context, AbstractRequest request);
}
