package io.sluice.tiering.objectstore;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What every object store must do. */
public abstract class ObjectStoreContract {
    private ObjectStore store;

    protected abstract ObjectStore open() throws Exception;

    @BeforeEach
    void openStore() throws Exception {
        store = open();
    }

    @AfterEach
    void closeStore() {
        store.close();
    }

    @Test
    void readsWhatWasPut() throws Exception {
        byte[] bytes = random(100_000);
        put("c1/a/one", bytes);
        assertThat(read("c1/a/one", 0, bytes.length)).isEqualTo(bytes);
        assertThat(store.size("c1/a/one")).isEqualTo(bytes.length);
    }

    @Test
    void readsRanges() throws Exception {
        byte[] bytes = random(10_000);
        put("a", bytes);
        Random random = new Random(3);
        for (int i = 0; i < 50; i++) {
            int offset = random.nextInt(bytes.length);
            int length = 1 + random.nextInt(bytes.length - offset);
            assertThat(read("a", offset, length))
                    .isEqualTo(java.util.Arrays.copyOfRange(bytes, offset, offset + length));
        }
    }

    /** As the tier reads: any place, pieces of a megabyte, to the last byte. */
    @Test
    void readsLargePiecesOfALargeObject() throws Exception {
        byte[] bytes = random((3 << 20) + 4_711);
        put("a", bytes);
        for (int offset : new int[] {0, 1, 4_096, 65_541, 1 << 20, bytes.length - (1 << 20)}) {
            assertThat(read("a", offset, 1 << 20))
                    .isEqualTo(java.util.Arrays.copyOfRange(bytes, offset, offset + (1 << 20)));
        }
        assertThat(read("a", 12, bytes.length - 12)).isEqualTo(java.util.Arrays.copyOfRange(bytes, 12, bytes.length));
        assertThatThrownBy(() -> read("a", bytes.length - (1 << 20) + 1, 1 << 20))
                .isInstanceOf(ObjectStoreException.Truncated.class);
    }

    @Test
    void putsThousandsOfSmallBuffersAndLeavesThemAsTheyWere() throws Exception {
        byte[] expected = random(4096 * 700);
        var content = Unpooled.compositeBuffer(Integer.MAX_VALUE);
        for (int i = 0; i < 4096; i++) {
            content.addComponent(true, Unpooled.directBuffer(700).writeBytes(expected, i * 700, 700));
        }
        content.skipBytes(5);
        store.put("a", content);
        assertThat(content.readerIndex()).isEqualTo(5);
        assertThat(content.refCnt()).isEqualTo(1);
        content.release();
        assertThat(read("a", 0, expected.length - 5))
                .isEqualTo(java.util.Arrays.copyOfRange(expected, 5, expected.length));
    }

    @Test
    void mayBePutAgain() throws Exception {
        byte[] bytes = random(1000);
        put("a", bytes);
        put("a", bytes);
        assertThat(read("a", 0, 1000)).isEqualTo(bytes);
    }

    @Test
    void storesAnEmptyObject() throws Exception {
        put("a", new byte[0]);
        assertThat(store.size("a")).isZero();
    }

    @Test
    void saysThatAnObjectIsMissing() {
        assertThatThrownBy(() -> read("c1/missing", 0, 1)).isInstanceOf(ObjectStoreException.NotFound.class);
        assertThatThrownBy(() -> store.size("missing")).isInstanceOf(ObjectStoreException.NotFound.class);
    }

    @Test
    void saysThatAnObjectEndsBeforeTheRange() throws Exception {
        put("a", new byte[10]);
        assertThatThrownBy(() -> read("a", 5, 6)).isInstanceOf(ObjectStoreException.Truncated.class);
        assertThatThrownBy(() -> read("a", 11, 1)).isInstanceOf(ObjectStoreException.Truncated.class);
    }

    @Test
    void deletesAgainAndAgain() throws Exception {
        put("c1/a", new byte[1]);
        put("c1/b", new byte[1]);
        put("c1/keep", new byte[1]);
        store.delete(List.of("c1/a", "c1/never", "c1/b", "c2/never"));
        store.delete(List.of("c1/a", "c1/b"));
        store.delete(List.of());
        assertThatThrownBy(() -> store.size("c1/a")).isInstanceOf(ObjectStoreException.NotFound.class);
        assertThat(store.size("c1/keep")).isEqualTo(1);
    }

    @Test
    void deletesNoFolderOfObjects() throws Exception {
        put("c1/a", new byte[1]);
        store.delete(List.of("c1"));
        assertThat(store.size("c1/a")).isEqualTo(1);
    }

    @Test
    void listsByPrefixInOrderAndInPages() throws Exception {
        for (String name : List.of("c1/b/2", "c10/x", "c1/a-", "c1/a/1", "c2/z", "c1/b/1")) {
            put(name, new byte[name.length()]);
        }
        assertThat(names(store.list("c1/", "", 100))).containsExactly("c1/a-", "c1/a/1", "c1/b/1", "c1/b/2");
        assertThat(names(store.list("c1/", "", 3))).containsExactly("c1/a-", "c1/a/1", "c1/b/1");
        assertThat(names(store.list("c1/", "c1/b/1", 3))).containsExactly("c1/b/2");
        assertThat(names(store.list("c1", "", 100))).contains("c10/x").hasSize(5);
        assertThat(store.list("c2", "", 9)).containsExactly(new StoredObject("c2/z", 4));
        assertThat(store.list("none", "", 9)).isEmpty();
    }

    @Test
    void refusesNamesThatLeadElsewhere() {
        for (String name : List.of("", "/a", "a/", "a//b", "../a", "a/../b", "a/.b", ".", "a\\b", "A", "a\0", "a b")) {
            assertThatThrownBy(() -> put(name, new byte[1])).as(name).isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> read(name, 0, 1)).as(name).isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> store.delete(List.of(name))).as(name).isInstanceOf(IllegalArgumentException.class);
        }
        assertThatThrownBy(() -> put("a".repeat(201), new byte[1])).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void takesManyCallsAtOnce() throws Exception {
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Callable<byte[]>> calls = new ArrayList<>();
            for (int i = 0; i < 40; i++) {
                int n = i;
                calls.add(() -> {
                    put("c" + n % 4 + "/d" + n % 3 + "/" + n, new byte[] {(byte) n});
                    return read("c" + n % 4 + "/d" + n % 3 + "/" + n, 0, 1);
                });
            }
            int i = 0;
            for (Future<byte[]> done : threads.invokeAll(calls)) {
                assertThat(done.get()).containsExactly(i++);
            }
        }
        assertThat(store.list("", "", 1000)).hasSize(40);
    }

    protected final void put(String name, byte[] bytes) throws ObjectStoreException {
        ByteBuf content = Unpooled.directBuffer(bytes.length).writeBytes(bytes);
        try {
            store.put(name, content);
        } finally {
            content.release();
        }
    }

    protected final byte[] read(String name, long offset, int length) throws ObjectStoreException {
        ByteBuf read = store.read(name, offset, length, UnpooledByteBufAllocator.DEFAULT);
        try {
            return bytes(read);
        } finally {
            read.release();
        }
    }

    private static List<String> names(List<StoredObject> objects) {
        return objects.stream().map(StoredObject::name).toList();
    }

    private static byte[] bytes(ByteBuf buffer) {
        byte[] bytes = new byte[buffer.readableBytes()];
        buffer.getBytes(buffer.readerIndex(), bytes);
        return bytes;
    }

    private static byte[] random(int length) {
        byte[] bytes = new byte[length];
        new Random(length).nextBytes(bytes);
        return bytes;
    }
}
