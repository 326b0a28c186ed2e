package io.sluice.store.segment;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.Unpooled;
import org.junit.jupiter.api.Test;

class InMemoryContainerAskTest extends AskContract {
    private static final long SEGMENT = 3;

    private final InMemoryContainer container = new InMemoryContainer(
            1, new InMemoryLog(), (host, segment, attributes, snapshot) -> new NoRider(), () -> 0);

    InMemoryContainerAskTest() {
        container.create(SEGMENT, (byte) 1, Unpooled.EMPTY_BUFFER, Durable.IGNORED);
        container.doWork();
    }

    @Override
    protected SegmentContainer container() {
        return container;
    }

    @Override
    protected void turn() {
        while (container.doWork() > 0) {}
    }

    @Override
    protected void hold() {
        container.hold();
    }

    @Override
    protected void release() {
        container.release();
    }

    @Override
    protected void write() {
        container.note(SEGMENT, Unpooled.EMPTY_BUFFER, Durable.IGNORED);
    }

    @Override
    protected void stop() {
        container.stop(new StoreFailure.NotOwner(1, "stopped"));
    }

    @Test
    void anAppendWaitsForRoomAndMayBeGivenUpMeanwhile() {
        container.fill();
        Answer<String> waits = container.askAppend(answer -> answer.complete("appended"));
        Answer<String> given = container.askAppend(answer -> answer.complete("appended"));
        Answer<String> asks = container.ask(() -> "asked");
        turn();
        assertThat(asks).isCompletedWithValue("asked");
        assertThat(waits).isNotDone();
        assertThat(given.cancel(false)).isTrue();
        container.makeRoom();
        turn();
        assertThat(waits).isCompletedWithValue("appended");
        assertThat(given).isCancelled();
    }
}
