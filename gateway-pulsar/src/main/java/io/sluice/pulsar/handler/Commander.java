package io.sluice.pulsar.handler;

import io.netty.buffer.ByteBuf;
import io.sluice.pulsar.connection.CommandRouter;
import io.sluice.pulsar.connection.Connection;
import io.sluice.pulsar.wire.MalformedCommandException;
import org.apache.pulsar.common.api.proto.BaseCommand;

/** From a command's type to its handler. A connection begins with CONNECT; what only a server sends ends it. */
public final class Commander implements CommandRouter {
    @Override
    public void route(Connection c, BaseCommand command, ByteBuf in, int end) {
        BaseCommand.Type type = command.getType();
        if (c.isConnected() == (type == BaseCommand.Type.CONNECT)) {
            throw new MalformedCommandException(type + " is not expected now");
        }
        CommandTable.Row row = CommandTable.of(type);
        if (row == null) {
            throw new MalformedCommandException("a client does not send " + type);
        }
        if (!row.hasBody().test(command)) {
            throw new MalformedCommandException(type + " without its fields");
        }
        row.handler().handle(c, command, in, end);
    }
}
