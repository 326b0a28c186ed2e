package io.sluice.pulsar.connection;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import org.junit.jupiter.api.Test;

class OutboxTest {
    /** Else nothing of the connection would ever be sent or given back: whoever adds would think the rest is under way. */
    @Test
    void anItemThatFailsClosesTheConnectionAndTheOthersGoOn() {
        EmbeddedChannel channel = new EmbeddedChannel();
        int[] emitted = new int[1];
        int[] flushed = new int[1];
        Outbox outbox = new Outbox(channel, 1 << 20, () -> flushed[0]++);
        ByteBuf frame = Unpooled.directBuffer().writeInt(1);
        outbox.add((Outbox.Item) () -> {
            throw new NoClassDefFoundError("planted");
        });
        outbox.add(frame);
        outbox.add((Outbox.Item) () -> emitted[0]++);
        channel.runPendingTasks();
        assertThat(channel.isActive()).isFalse();
        assertThat(emitted[0]).isEqualTo(1);
        assertThat(flushed[0]).isEqualTo(1);
        assertThat(frame.refCnt()).isZero();
        outbox.add((Outbox.Item) () -> emitted[0]++);
        channel.runPendingTasks();
        assertThat(emitted[0]).isEqualTo(2);
        channel.finishAndReleaseAll();
    }
}
