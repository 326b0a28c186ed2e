package io.sluice.broker.coordination;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.sluice.broker.TestEntries;
import io.sluice.broker.compaction.AbortedData;
import io.sluice.broker.compaction.KeyedEntries;
import io.sluice.broker.compaction.Survivors;
import io.sluice.broker.coordination.SimulatedState.Write;
import io.sluice.broker.entry.EndMarker;
import io.sluice.broker.entry.EntryFormat;
import io.sluice.broker.entry.EntryHeader;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/** Writes behind an entry's header: each with its offset in the entry, its key, and its value with the length -1 for a tombstone. */
final class PlainRecords implements KeyedEntries {
    static final long NO_TRANSACTION = EntryHeader.NO_PRODUCER;

    private final boolean tombstonesGo;

    /** @param tombstonesGo a mistake: they go when they are compacted for the first time */
    PlainRecords(boolean tombstonesGo) {
        this.tombstonesGo = tombstonesGo;
    }

    private record Placed(int delta, Write write) {}

    static ByteBuffer entry(List<Write> writes, long transaction) {
        List<Placed> placed = new ArrayList<>();
        for (Write write : writes) {
            placed.add(new Placed(placed.size(), write));
        }
        return entry(placed, writes.size(), transaction).nioBuffer();
    }

    private static ByteBuf entry(List<Placed> records, int offsets, long transaction) {
        ByteBuf body = Unpooled.buffer();
        for (Placed record : records) {
            body.writeInt(record.delta);
            put(body, record.write.key());
            put(body, record.write.value());
        }
        ByteBuf entry = TestEntries.plain(records.size(), body.readableBytes(), 0);
        entry.setBytes(EntryHeader.SIZE, body);
        entry.setInt(23, offsets - 1);
        if (transaction != NO_TRANSACTION) {
            entry.setShort(21, EntryHeader.TRANSACTIONAL);
            entry.setLong(43, transaction).setShort(51, 0).setInt(53, -1);
        }
        return entry;
    }

    private static void put(ByteBuf body, @Nullable String text) {
        body.writeInt(text == null ? -1 : text.length());
        if (text != null) {
            body.writeCharSequence(text, US_ASCII);
        }
    }

    /** Tells the state what the entries hold. */
    static void replay(ByteBuffer entries, SimulatedState state) {
        forEach(entries, (bytes, at) -> {
            long transaction = EntryHeader.producerId(bytes, at);
            if (EndMarker.is(bytes, at)) {
                state.ended(transaction, EndMarker.commits(bytes, at));
            } else {
                long base = EntryHeader.baseOffset(bytes, at);
                records(bytes, at).forEach(record -> state.write(record.write, base + record.delta, transaction));
            }
        });
    }

    private static void forEach(ByteBuffer entries, BiConsumer<ByteBuf, Integer> each) {
        ByteBuf bytes = Unpooled.wrappedBuffer(entries.duplicate());
        for (int at = 0; at < bytes.readableBytes(); at += EntryHeader.size(bytes, at)) {
            each.accept(bytes, at);
        }
    }

    private static List<Placed> records(ByteBuf bytes, int at) {
        List<Placed> records = new ArrayList<>();
        ByteBuf body = bytes.slice(at + EntryHeader.SIZE, EntryHeader.size(bytes, at) - EntryHeader.SIZE);
        while (body.isReadable()) {
            int delta = body.readInt();
            String key = next(body);
            if (key == null) {
                throw new AssertionError("a record without a key");
            }
            records.add(new Placed(delta, new Write(key, next(body))));
        }
        return records;
    }

    private static @Nullable String next(ByteBuf body) {
        int length = body.readInt();
        return length < 0 ? null : body.readCharSequence(length, US_ASCII).toString();
    }

    @Override
    public byte format() {
        return EntryFormat.KAFKA_V2;
    }

    @Override
    public boolean readKeys(ByteBuffer entries, AbortedData aborted, Keys keys) {
        boolean[] room = {true};
        forEach(entries, (bytes, at) -> {
            long base = EntryHeader.baseOffset(bytes, at);
            if (EndMarker.is(bytes, at)) {
                aborted.ended(EntryHeader.producerId(bytes, at), base);
            } else if (!isAborted(bytes, at, aborted)) {
                records(bytes, at).forEach(record -> room[0] = room[0] && keys.add(keyOf(record), base + record.delta));
            }
        });
        return room[0];
    }

    private static boolean isAborted(ByteBuf bytes, int at, AbortedData aborted) {
        return EntryHeader.isTransactional(bytes, at)
                && aborted.has(EntryHeader.producerId(bytes, at), EntryHeader.baseOffset(bytes, at));
    }

    private static ByteBuffer keyOf(Placed record) {
        return US_ASCII.encode(record.write.key());
    }

    @Override
    public ByteBuffer rewrite(ByteBuffer entries, AbortedData aborted, Survivors survivors) {
        ByteBuf left = Unpooled.buffer();
        forEach(entries, (bytes, at) -> {
            long base = EntryHeader.baseOffset(bytes, at);
            if (EndMarker.is(bytes, at)) {
                aborted.ended(EntryHeader.producerId(bytes, at), base);
                left.writeBytes(bytes, at, EntryHeader.size(bytes, at));
                return;
            }
            List<Placed> kept = new ArrayList<>();
            if (!isAborted(bytes, at, aborted)) {
                kept.addAll(records(bytes, at));
                kept.removeIf(record -> !survivors.isNewest(keyOf(record), base + record.delta)
                        || tombstonesGo && record.write.value() == null);
            }
            if (!kept.isEmpty() || survivors.isLast(EntryHeader.lastOffset(bytes, at))) {
                ByteBuf rest = entry(kept, EntryHeader.offsets(bytes, at), EntryHeader.producerId(bytes, at));
                EntryHeader.assign(rest, 0, base, EntryHeader.leaderEpoch(bytes, at));
                left.writeBytes(rest);
            }
        });
        return left.nioBuffer();
    }
}
