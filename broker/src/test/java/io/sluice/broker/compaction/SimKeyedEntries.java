package io.sluice.broker.compaction;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.sluice.broker.TestEntries;
import io.sluice.broker.entry.EndMarker;
import io.sluice.broker.entry.EntryFormat;
import io.sluice.broker.entry.EntryHeader;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

/** Entries whose body is a list of records: offset in the entry, key, value, 4 bytes each. With a mistake, if it has to. */
final class SimKeyedEntries implements KeyedEntries {
    private static final int RECORD = 12;

    private final CompactionSimBug bug;

    SimKeyedEntries(CompactionSimBug bug) {
        this.bug = bug;
    }

    /** @param value negative to delete the key */
    record Rec(int delta, int key, int value) {}

    /** @param producer -1 outside of transactions */
    static ByteBuf entry(long producer, List<Rec> records, int offsets) {
        ByteBuf b = producer < 0
                ? TestEntries.plain(records.size(), records.size() * RECORD, 1)
                : TestEntries.kafka(producer, (short) 0, -1, records.size(), records.size() * RECORD, 1)
                        .setShort(21, EntryHeader.TRANSACTIONAL);
        b.setInt(23, offsets - 1);
        b.writerIndex(EntryHeader.SIZE);
        for (Rec rec : records) {
            b.writeInt(rec.delta).writeInt(rec.key).writeInt(rec.value);
        }
        return b;
    }

    static List<Rec> records(ByteBuf b, int at) {
        List<Rec> records = new ArrayList<>();
        if (!EntryHeader.isControl(b, at)) {
            for (int i = 0; i < EntryHeader.count(b, at); i++) {
                int from = at + EntryHeader.SIZE + i * RECORD;
                records.add(new Rec(b.getInt(from), b.getInt(from + 4), b.getInt(from + 8)));
            }
        }
        return records;
    }

    @Override
    public byte format() {
        return EntryFormat.KAFKA_V2;
    }

    @Override
    public boolean readKeys(ByteBuffer entries, AbortedData aborted, Keys keys) {
        boolean[] room = {true};
        PartitionScan.forEach(entries, (b, at) -> {
            long producer = EntryHeader.producerId(b, at);
            if (EndMarker.is(b, at)) {
                aborted.ended(producer, EntryHeader.baseOffset(b, at));
            }
            boolean counts = !EntryHeader.isTransactional(b, at)
                    || !aborted.has(producer, EntryHeader.baseOffset(b, at))
                    || bug == CompactionSimBug.ABORTED_COUNTS;
            for (Rec rec : counts ? records(b, at) : List.<Rec>of()) {
                room[0] = room[0] && keys.add(key(rec), EntryHeader.baseOffset(b, at) + rec.delta);
            }
        });
        return room[0] || bug == CompactionSimBug.FULL_MAP_IS_IGNORED;
    }

    private static ByteBuffer key(Rec rec) {
        return ByteBuffer.allocate(4).putInt(rec.key).flip();
    }

    @Override
    public ByteBuffer rewrite(ByteBuffer entries, AbortedData aborted, Survivors survivors) {
        ByteBuf left = Unpooled.buffer();
        PartitionScan.forEach(entries, (b, at) -> {
            long producer = EntryHeader.producerId(b, at);
            long base = EntryHeader.baseOffset(b, at);
            if (EntryHeader.isControl(b, at)) {
                aborted.ended(producer, EntryHeader.baseOffset(b, at));
                boolean stays = survivors.hasLeft(producer) || survivors.isLast(EntryHeader.lastOffset(b, at));
                left.writeBytes(b, at, stays ? EntryHeader.size(b, at) : 0);
                return;
            }
            boolean goes = EntryHeader.isTransactional(b, at)
                    && aborted.has(producer, base)
                    && bug != CompactionSimBug.ABORTED_STAYS;
            List<Rec> kept = new ArrayList<>();
            for (Rec rec : goes ? List.<Rec>of() : records(b, at)) {
                boolean lost = bug == CompactionSimBug.NEWEST_GOES && (base + rec.key) % 5 == 0;
                boolean deletes = rec.value < 0 && bug != CompactionSimBug.TOMBSTONES_STAY;
                if (!lost && !deletes && survivors.isNewest(key(rec), base + rec.delta)) {
                    kept.add(bug == CompactionSimBug.OFFSETS_CHANGE ? new Rec(0, rec.key, rec.value) : rec);
                }
            }
            if (!kept.isEmpty() && EntryHeader.isTransactional(b, at)) {
                survivors.stays(producer);
            }
            if (!kept.isEmpty() || survivors.isLast(EntryHeader.lastOffset(b, at))) {
                ByteBuf rest =
                        entry(EntryHeader.isTransactional(b, at) ? producer : -1, kept, EntryHeader.offsets(b, at));
                EntryHeader.assign(rest, 0, base, EntryHeader.leaderEpoch(b, at));
                left.writeBytes(rest);
            }
        });
        return left.nioBuffer();
    }
}
