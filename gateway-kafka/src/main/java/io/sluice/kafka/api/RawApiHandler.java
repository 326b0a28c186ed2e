package io.sluice.kafka.api;

import io.netty.buffer.ByteBuf;

/** An API on the hot path, which reads the request's bytes itself so that records stay where the network put them. */
public non-sealed interface RawApiHandler extends Api {
    /**
     * As {@link ApiHandler#handle}.
     *
     * @param body what follows the request header. Borrowed: retain a slice to keep any of it. Bytes that do not parse are
     *     answered by throwing {@link org.apache.kafka.common.protocol.types.SchemaException} or {@link
     *     IndexOutOfBoundsException} before anything was started, which closes the connection
     */
    void handle(RequestContext context, ByteBuf body);
}
