package io.sluice.tiering.objectstore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.sluice.tiering.objectstore.FakeObjectStore.Fault;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class WatchedObjectStoreTest {
    private static final Duration PATIENCE = Duration.ofSeconds(3);
    private static final Duration SILENCE = Duration.ofSeconds(30);

    private long nanos;
    private final FakeObjectStore inner = new FakeObjectStore();
    private final WatchedObjectStore store = new WatchedObjectStore(inner, PATIENCE, SILENCE, () -> nanos);

    @Test
    void aFailureIsADoubtUntilTheNextAnswer() throws Exception {
        assertThat(store.isInDoubt()).isFalse();
        inner.faults((call, name) -> Fault.UNAVAILABLE);
        ByteBuf content = Unpooled.wrappedBuffer(new byte[1]);
        assertThatThrownBy(() -> store.put("a", content)).isInstanceOf(ObjectStoreException.Unavailable.class);
        assertThat(store.isInDoubt()).isTrue();
        inner.faults((call, name) -> Fault.NONE);
        assertThat(store.answers()).isTrue();
        assertThat(store.isInDoubt()).isFalse();
        assertThatThrownBy(() -> store.size("missing")).isInstanceOf(ObjectStoreException.NotFound.class);
        assertThat(store.isInDoubt()).as("that is an answer").isFalse();
    }

    @Test
    void aLongSilenceIsADoubt() {
        nanos += SILENCE.toNanos();
        assertThat(store.isInDoubt()).isFalse();
        nanos++;
        assertThat(store.isInDoubt()).isTrue();
        assertThat(store.answers()).isTrue();
        assertThat(store.isInDoubt()).isFalse();
    }

    @Test
    void aCallThatWaitsIsADoubt() throws Exception {
        inner.faults((call, name) -> {
            nanos += PATIENCE.toNanos();
            assertThat(store.isInDoubt()).isFalse();
            nanos++;
            assertThat(store.isInDoubt()).isTrue();
            return Fault.NONE;
        });
        store.put("a", Unpooled.wrappedBuffer(new byte[1]));
        assertThat(store.isInDoubt()).isFalse();
    }
}
