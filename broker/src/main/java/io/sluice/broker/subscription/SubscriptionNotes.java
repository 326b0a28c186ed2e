package io.sluice.broker.subscription;

import io.netty.buffer.ByteBuf;
import io.sluice.broker.entry.Packed;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Codec of the notes that change subscriptions. Types keep their meaning for ever; those below 16 are the partition's own. */
final class SubscriptionNotes {
    /** {@code id, name, startOffset, properties}. */
    static final byte CREATE = 16;
    /** {@code id}. */
    static final byte DELETE = 17;
    /** For each cursor that changed: {@code id, ackedBelow, ranges above it that are new}. */
    static final byte ACKS = 18;
    /** {@code id, offset}. */
    static final byte SEEK = 19;

    /** Acknowledged in a transaction: {@code id, transaction, upTo + 1, ranges}. */
    static final byte PENDING = 20;
    /** {@code id, transaction, commit u8}. */
    static final byte END = 21;

    /** In place of those it had: {@code id, properties}. */
    static final byte PROPERTIES = 22;

    /** How often ranges were delivered to a share group: {@code id, ranges}. */
    static final byte DELIVERED = 23;

    private SubscriptionNotes() {}

    static void writeDelivered(ByteBuf out, long id, List<ShareCursor.Delivered> ranges) {
        out.writeByte(DELIVERED);
        Packed.writeUnsigned(out, id);
        DeliveryCounts.write(ranges, out);
    }

    static void writeNewProperties(ByteBuf out, long id, Map<String, String> properties) {
        out.writeByte(PROPERTIES);
        Packed.writeUnsigned(out, id);
        writeProperties(out, properties);
    }

    static void writePending(ByteBuf out, long id, TransactionalAck ack) {
        out.writeByte(PENDING);
        Packed.writeUnsigned(out, id);
        Packed.writeUnsigned(out, ack.transaction());
        Packed.writeUnsigned(out, ack.upTo() + 1);
        Packed.writeUnsigned(out, ack.ranges().size());
        ack.ranges().forEach(range -> {
            Packed.writeUnsigned(out, range.from());
            Packed.writeUnsigned(out, range.to() - range.from());
        });
    }

    static void writeEnd(ByteBuf out, long id, long transaction, boolean commit) {
        out.writeByte(END);
        Packed.writeUnsigned(out, id);
        Packed.writeUnsigned(out, transaction);
        out.writeBoolean(commit);
    }

    static void writeCreate(ByteBuf out, long id, String name, long startOffset, Map<String, String> properties) {
        out.writeByte(CREATE);
        Packed.writeUnsigned(out, id);
        Packed.writeString(out, name);
        Packed.writeUnsigned(out, startOffset);
        writeProperties(out, properties);
    }

    static void writeDelete(ByteBuf out, long id) {
        out.writeByte(DELETE);
        Packed.writeUnsigned(out, id);
    }

    static void writeSeek(ByteBuf out, long id, long offset) {
        out.writeByte(SEEK);
        Packed.writeUnsigned(out, id);
        Packed.writeUnsigned(out, offset);
    }

    /** Sorted by key, so that equal properties give equal bytes. */
    static void writeProperties(ByteBuf out, Map<String, String> properties) {
        Packed.writeUnsigned(out, properties.size());
        new TreeMap<>(properties).forEach((key, value) -> {
            Packed.writeString(out, key);
            Packed.writeString(out, value);
        });
    }

    static Map<String, String> readProperties(ByteBuf in) {
        Map<String, String> properties = new TreeMap<>();
        for (int n = Packed.readCount(in); n > 0; n--) {
            String key = Packed.readString(in);
            properties.put(key, Packed.readString(in));
        }
        return Map.copyOf(properties);
    }
}
