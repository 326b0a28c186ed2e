package io.sluice.pulsar.connection;

import io.netty.buffer.ByteBuf;
import org.apache.pulsar.common.api.proto.BaseCommand;

/** Where a connection's commands go. Event loop only. */
public interface CommandRouter {
    /**
     * @param command borrowed, and parsed again for the next frame: copy what is needed later
     * @param in borrowed; what follows the command is {@code [readerIndex, end)}
     */
    void route(Connection connection, BaseCommand command, ByteBuf in, int end);
}
