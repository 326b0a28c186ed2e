package io.sluice.pulsar.connection;

import io.netty.buffer.ByteBuf;
import io.netty.util.concurrent.FastThreadLocal;
import io.sluice.pulsar.wire.MalformedCommandException;
import org.apache.pulsar.common.api.proto.BaseCommand;

/** Parser of one event loop's commands; nothing in it outlives a frame. */
final class CommandParser {
    private static final FastThreadLocal<CommandParser> OF_LOOP = new FastThreadLocal<>() {
        @Override
        protected CommandParser initialValue() {
            return new CommandParser();
        }
    };

    private BaseCommand command = new BaseCommand();

    private CommandParser() {}

    static CommandParser get() {
        return OF_LOOP.get();
    }

    /**
     * The command in the next {@code size} bytes; valid until the next call.
     *
     * @throws MalformedCommandException the bytes are no command
     */
    BaseCommand parse(ByteBuf in, int size) {
        int end = in.readerIndex() + size;
        try {
            command.parseFrom(in, size);
        } catch (IllegalArgumentException | IllegalStateException | IndexOutOfBoundsException e) {
            command =
                    new BaseCommand(); // one that broke off cannot be cleared, and every later command would fail on it
            throw new MalformedCommandException("a command that does not parse: " + e.getMessage());
        }
        if (in.readerIndex() != end) {
            throw new MalformedCommandException("a field that goes on behind its command's end");
        }
        return command;
    }
}
