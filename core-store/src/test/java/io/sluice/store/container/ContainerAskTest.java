package io.sluice.store.container;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.Unpooled;
import io.sluice.store.segment.Answer;
import io.sluice.store.segment.AskContract;
import io.sluice.store.segment.Durable;
import io.sluice.store.segment.SegmentContainer;
import io.sluice.store.segment.StoreFailure;
import io.sluice.store.wal.bookkeeper.InMemoryWalStore;
import io.sluice.testing.ExpectedLog;
import java.util.ArrayDeque;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

@ExpectedLog("stops: its state is not to be trusted")
class ContainerAskTest extends AskContract {
    private static final long SEGMENT = 3;

    private final ArrayDeque<Runnable> held = new ArrayDeque<>();
    private boolean holds;
    private final ContainerRig rig = new ContainerRig(new InMemoryWalStore(new InMemoryWalStore.Faults() {
        @Override
        public void answer(Runnable delivery) {
            if (holds) {
                held.add(delivery);
            } else {
                delivery.run();
            }
        }
    }));

    @BeforeEach
    void open() {
        rig.open();
        rig.create(SEGMENT);
    }

    @AfterEach
    void close() {
        release();
        rig.close();
    }

    @Override
    protected SegmentContainer container() {
        return rig.container().segments();
    }

    @Override
    protected void turn() {
        rig.settle();
    }

    @Override
    protected void hold() {
        holds = true;
    }

    @Override
    protected void release() {
        holds = false;
        held.forEach(Runnable::run);
        held.clear();
    }

    @Override
    protected void write() {
        container().append(SEGMENT, Unpooled.wrappedBuffer(new byte[10]), Durable.IGNORED);
    }

    @Override
    protected void stop() {
        rig.container().abandon(new IllegalStateException("planted"));
    }

    @Test
    void anErrorInAStepEndsTheTermAndIsTheAnswer() {
        rig.errorsEndTerms = true;
        Answer<String> answer = container().ask(() -> {
            throw new NoClassDefFoundError("planted");
        });
        Answer<String> next = container().ask(() -> "never");
        turn();
        assertThat(answer).isCompletedExceptionally();
        assertThat(answer.exceptionNow()).isInstanceOf(NoClassDefFoundError.class);
        assertThat(failureOf(next)).isInstanceOf(StoreFailure.NotOwner.class);
    }
}
