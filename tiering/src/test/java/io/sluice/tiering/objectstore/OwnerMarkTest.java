package io.sluice.tiering.objectstore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.Unpooled;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class OwnerMarkTest {
    private static final UUID OURS = new UUID(1, 2);
    private static final UUID ANOTHER = new UUID(3, 4);

    private final ObjectStore store = new FakeObjectStore();

    @Test
    void whoComesFirstKeepsThePlace() throws ObjectStoreException {
        OwnerMark.check(store, ANOTHER);
        OwnerMark.claim(store, OURS);
        OwnerMark.claim(store, OURS);
        OwnerMark.check(store, OURS);
        assertThatThrownBy(() -> OwnerMark.claim(store, ANOTHER))
                .isInstanceOf(ObjectStoreException.Denied.class)
                .hasMessageContaining("another Sluice")
                .hasMessageContaining("\"sluice 1 " + OURS + "\"")
                .hasMessageContaining(ANOTHER.toString())
                .hasMessageContaining("of its own");
        assertThatThrownBy(() -> OwnerMark.check(store, ANOTHER)).isInstanceOf(ObjectStoreException.Denied.class);
    }

    @Test
    void aPlaceFilledBeforeThereWereMarksIsTaken() throws ObjectStoreException {
        store.put("c0/0000000000000/0000000000000001", Unpooled.wrappedBuffer(new byte[] {1}));
        store.put("owners", Unpooled.wrappedBuffer(new byte[] {1}));
        OwnerMark.check(store, OURS);
        OwnerMark.claim(store, OURS);
        assertThatCode(() -> OwnerMark.check(store, OURS)).doesNotThrowAnyException();
        assertThat(store.size(OwnerMark.NAME)).isEqualTo("sluice 1 ".length() + 36);
    }

    @Test
    void somethingElseOfThatNameIsNotOverwritten() throws ObjectStoreException {
        for (byte[] other : new byte[][] {{}, {-1, '\n'}, new byte[100_000]}) {
            store.put(OwnerMark.NAME, Unpooled.wrappedBuffer(other));
            assertThatThrownBy(() -> OwnerMark.claim(store, OURS))
                    .isInstanceOf(ObjectStoreException.Denied.class)
                    .message()
                    .hasSizeLessThan(300)
                    .doesNotContain("\n");
            assertThat(store.size(OwnerMark.NAME)).isEqualTo(other.length);
        }
    }
}
