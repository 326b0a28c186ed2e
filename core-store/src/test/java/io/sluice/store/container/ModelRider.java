package io.sluice.store.container;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.sluice.store.segment.SegmentContainer;
import io.sluice.store.segment.SegmentInfo;
import io.sluice.store.segment.SegmentRider;
import io.sluice.store.segment.StoreFailure;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/** Remembers, in a few numbers, everything that was applied to it; padding makes its snapshot as large as a test likes. */
public final class ModelRider implements SegmentRider {
    public long appends;
    public long end;
    public long hash;
    public long notes;
    public long durableLength = -1;
    public @Nullable StoreFailure closed;
    private final int padding;

    private ModelRider(long end, int padding) {
        this.end = end;
        this.padding = padding;
    }

    /** Padding of the snapshot is the third attribute byte, KiB. */
    public static ModelRider create(
            SegmentContainer container, SegmentInfo info, ByteBuf attributes, @Nullable ByteBuf snapshot) {
        int padding = attributes.readableBytes() > 2 ? attributes.getUnsignedByte(2) << 10 : 0;
        ModelRider rider = new ModelRider(0, padding);
        if (snapshot != null) {
            rider.appends = snapshot.readLong();
            rider.end = snapshot.readLong();
            rider.hash = snapshot.readLong();
            rider.notes = snapshot.readLong();
            assertThat(snapshot.readableBytes()).isEqualTo(padding);
        }
        return rider;
    }

    @Override
    public void applyAppend(long position, ByteBuf data) {
        assertThat(position).isEqualTo(end);
        appends++;
        end += data.readableBytes();
        hash = mix(hash, data);
        data.skipBytes(data.readableBytes());
    }

    @Override
    public void applyNote(ByteBuf note) {
        notes = mix(notes, note);
    }

    /** The hash after {@code data}. */
    public static long mix(long hash, ByteBuf data) {
        CRC32C crc = new CRC32C();
        crc.update(data.nioBuffer());
        return (hash * 31 + data.readableBytes()) * 31 + crc.getValue();
    }

    @Override
    public void durable(long length) {
        if (appends == 0 && length > end) {
            return; // what it has was stored past the log, of which a rider sees nothing
        }
        assertThat(closed).isNull();
        assertThat(length).isBetween(durableLength, end);
        durableLength = length;
    }

    @Override
    public void snapshot(ByteBuf out) {
        out.writeLong(appends).writeLong(end).writeLong(hash).writeLong(notes).writeZero(padding);
    }

    @Override
    public void closed(StoreFailure why) {
        assertThat(closed).isNull();
        closed = why;
    }
}
