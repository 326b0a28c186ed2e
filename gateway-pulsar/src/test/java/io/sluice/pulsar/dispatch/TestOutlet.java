package io.sluice.pulsar.dispatch;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.sluice.pulsar.SilentOutlet;
import io.sluice.pulsar.wire.OutFrame;
import org.apache.pulsar.common.api.proto.BaseCommand;
import org.apache.pulsar.common.api.proto.CommandMessage;

/** A client's end of a connection that always has room. */
abstract class TestOutlet extends SilentOutlet {
    /**
     * A message has come.
     *
     * @param entry as its producer sent it; valid during the call
     */
    abstract void received(CommandMessage message, ByteBuf entry);

    @Override
    public final void send(OutFrame frame) {
        ByteBuf all = frame.body() == null ? frame.head() : Unpooled.wrappedBuffer(frame.head(), frame.body());
        while (all.isReadable()) {
            int end = all.readInt() + all.readerIndex();
            BaseCommand command = new BaseCommand();
            command.parseFrom(all, all.readInt());
            received(command.getMessage(), all.slice(all.readerIndex(), end - all.readerIndex()));
            all.readerIndex(end);
        }
        all.release();
    }
}
