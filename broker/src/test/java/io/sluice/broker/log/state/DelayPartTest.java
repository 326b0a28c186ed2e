package io.sluice.broker.log.state;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.sluice.broker.entry.DelayRun;
import io.sluice.broker.entry.EndMarker;
import io.sluice.broker.entry.EntryFormat;
import io.sluice.broker.entry.EntryHeader;
import io.sluice.broker.log.DelayedRuns.Run;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class DelayPartTest {
    private record Entry(long time, long base, int offsets) {}

    private static final List<Entry> ENTRIES =
            List.of(new Entry(1_000, 70, 3), new Entry(1_000, 90, 1), new Entry(5_000, 2, 200_000));

    private static ByteBuf run(long base, long indexedTo, List<Long> replaced, List<Entry> entries) {
        DelayRun.Writer writer = new DelayRun.Writer();
        entries.forEach(e -> writer.add(e.time, e.base, e.offsets));
        ByteBuf entry = onHeap(writer.entry(UnpooledByteBufAllocator.DEFAULT, indexedTo, replaced, 77));
        EntryHeader.assign(entry, 0, base, 1);
        return entry;
    }

    private static ByteBuf onHeap(ByteBuf entry) {
        ByteBuf copy = Unpooled.copiedBuffer(entry);
        entry.release();
        return copy;
    }

    private static ByteBuf delayed(long base, int offsets) {
        return Unpooled.buffer()
                .writeZero(EntryHeader.SIZE)
                .setLong(0, base)
                .setByte(16, EntryFormat.PULSAR)
                .setShort(21, EntryHeader.DELAYED)
                .setInt(23, offsets - 1);
    }

    private static DelayPart restored(DelayPart part) {
        ByteBuf bytes = Unpooled.buffer();
        part.snapshot(bytes);
        DelayPart copy = new DelayPart();
        copy.restore(part.version(), bytes);
        assertThat(bytes.isReadable()).isFalse();
        return copy;
    }

    @Test
    void aRunReadsAsItWasWritten() {
        ByteBuf entry = run(100, 95, List.of(40L, 60L), ENTRIES);
        assertThat(DelayRun.is(entry, 0)).isTrue();
        assertThat(DelayRun.read(entry, 0)).isEqualTo(new DelayRun(95, List.of(40L, 60L), 3, 1_000, 5_000));
        List<Entry> read = new ArrayList<>();
        DelayRun.forEach(entry, 0, (time, base, offsets) -> read.add(new Entry(time, base, offsets)));
        assertThat(read).isEqualTo(ENTRIES);
        List<Entry> one = new ArrayList<>();
        DelayRun.forEach(entry, 0, (time, base, offsets) -> {
            one.add(new Entry(time, base, offsets));
            return false;
        });
        assertThat(one).hasSize(1);
        assertThat(EndMarker.is(entry, 0)).isFalse();
    }

    @Test
    void aMarkerIsNoRun() {
        ByteBuf marker = onHeap(EndMarker.entry(UnpooledByteBufAllocator.DEFAULT, 1, (short) 0, 0, true, 1));
        assertThat(DelayRun.is(marker, 0)).isFalse();
        assertThat(DelayRun.is(delayed(1, 1), 0)).isFalse();
    }

    @Test
    void knowsRunsAndWhatStandsInNone() {
        DelayPart part = new DelayPart();
        assertThat(part.isEmpty()).isTrue();
        part.append(delayed(70, 3), 0, 0);
        part.append(delayed(90, 1), 0, 0);
        assertThat(part.unindexedFrom()).isEqualTo(70);
        assertThat(part.delayedEnd()).isEqualTo(91);
        part.append(run(100, 91, List.of(), ENTRIES), 0, 0);
        assertThat(part.unindexedFrom()).isEqualTo(-1);
        part.append(delayed(101, 1), 0, 0);
        part.append(delayed(105, 1), 0, 0);
        part.append(run(110, 103, List.of(), ENTRIES.subList(0, 1)), 0, 0);
        assertThat(part.unindexedFrom()).isEqualTo(103);
        part = restored(part);
        assertThat(part.runs()).containsExactly(new Run(100, 3, 1_000, 5_000), new Run(110, 1, 1_000, 1_000));
        assertThat(part.indexedTo()).isEqualTo(103);
        assertThat(part.unindexedFrom()).isEqualTo(103);
        assertThat(part.delayedEnd()).isEqualTo(106);
        part.append(run(120, 120, List.of(100L), List.of()), 0, 0);
        assertThat(part.runs()).containsExactly(new Run(110, 1, 1_000, 1_000));
        part.note(new PartitionNote.Start(111, 111, 0));
        assertThat(part.runs()).isEmpty();
        assertThat(restored(part).unindexedFrom()).isEqualTo(-1);
    }

    @Test
    void whatAnEarlierServerHasStoredIsInNoRun() {
        DelayPart part = new DelayPart();
        part.restoredUpTo(50);
        assertThat(part.since()).isEqualTo(50);
        part.append(delayed(60, 1), 0, 0);
        part = restored(part);
        part.restoredUpTo(70);
        assertThat(part.since()).isEqualTo(50);
    }
}
