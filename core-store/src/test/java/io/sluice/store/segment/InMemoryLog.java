package io.sluice.store.segment;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What survives the restart of an {@link InMemoryContainer}: its operations in sequencing order, how many of them are
 * durable, and the newest checkpoint of its riders. Used by one term at a time.
 */
final class InMemoryLog {
    final List<Op> ops = new ArrayList<>();
    int durable;

    /** What is durable is acknowledged before it is safe, and appends and notes are told so. */
    boolean deferred;

    /** Operations that are safe; of a log that is not deferred all that are durable. */
    int synced;

    long term;

    @Nullable
    Checkpoint checkpoint;

    /** Operations after which the checkpoint stands, and the state of every segment there. */
    record Checkpoint(int ops, Map<Long, Snapshot> segments) {}

    record Snapshot(Bytes rider, long length) {}

    /** Bytes with value semantics, so that they may sit in records. */
    static final class Bytes {
        private final byte[] array;

        Bytes(byte[] array) {
            this.array = array;
        }

        static Bytes copyOf(ByteBuf source) {
            return new Bytes(ByteBufUtil.getBytes(source));
        }

        byte[] array() {
            return array;
        }

        ByteBuf view() {
            return Unpooled.wrappedBuffer(array).asReadOnly();
        }

        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof Bytes b && Arrays.equals(array, b.array);
        }

        @Override
        public int hashCode() {
            return Arrays.hashCode(array);
        }
    }

    sealed interface Op {
        long segment();

        record Create(long segment, byte kind, Bytes attributes) implements Op {}

        record Append(long segment, Bytes data) implements Op {}

        /** Bytes that no rider sees. */
        record Store(long segment, Bytes data) implements Op {}

        record Note(long segment, Bytes note) implements Op {}

        record Truncate(long segment, long position) implements Op {}

        record Seal(long segment) implements Op {}

        record Delete(long segment) implements Op {}
    }

    /** Drops what was never durable, as a crash may. */
    void loseTail() {
        cut(durable);
    }

    /** Drops what was never safe, as the crash of a machine may. */
    void loseUnsynced() {
        if (deferred) {
            durable = Math.min(durable, synced);
        }
        cut(durable);
    }

    private void cut(int size) {
        ops.subList(size, ops.size()).clear();
        Checkpoint c = checkpoint;
        if (c != null && c.ops() > size) {
            checkpoint = null;
        }
    }

    /** Keeps what was never acknowledged, as a crash may, too. */
    void keepTail() {
        durable = ops.size();
    }

    Map<Long, Snapshot> newSnapshots() {
        return new LinkedHashMap<>();
    }
}
