package io.sluice.transactions.peer;

import io.netty.buffer.ByteBuf;
import io.sluice.broker.entry.Packed;
import io.sluice.transactions.Marker;
import io.sluice.transactions.Participant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/**
 * Markers for partitions of one container. Version 0.
 *
 * @param sender process that sends it
 * @param term of the container, as the sender was told it; 0 if it was not
 * @param number rises with each request of the sender for the container
 */
record MarkerRequest(UUID sender, int container, long term, long number, List<Item> items) {
    /** @param segment in which the partition is */
    record Item(Participant partition, long segment, Marker marker) {
        /** Bytes that it takes at most. */
        int most() {
            return 40 + Fields.most(partition);
        }
    }

    byte[] encode() {
        return Fields.bytes(out -> {
            out.writeLong(sender.getMostSignificantBits());
            out.writeLong(sender.getLeastSignificantBits());
            Packed.writeUnsigned(out, container);
            Packed.writeSigned(out, term);
            Packed.writeUnsigned(out, number);
            Packed.writeUnsigned(out, items.size());
            items.forEach(item -> write(out, item));
        });
    }

    private static void write(ByteBuf out, Item item) {
        Fields.write(out, item.partition);
        Packed.writeUnsigned(out, item.segment);
        Fields.write(out, item.marker.producer());
        Packed.writeSigned(out, item.marker.coordinatorEpoch());
        out.writeBoolean(item.marker.commit());
    }

    /** @throws IllegalArgumentException it is no such body */
    static MarkerRequest decode(byte[] body) {
        return Fields.read(body, in -> {
            UUID sender = new UUID(in.readLong(), in.readLong());
            int container = Packed.readCount(in);
            long term = Packed.readSigned(in);
            long number = Packed.readUnsigned(in);
            List<Item> items = new ArrayList<>();
            for (int n = Fields.readCount(in); n > 0; n--) {
                items.add(readItem(in));
            }
            return new MarkerRequest(sender, container, term, number, items);
        });
    }

    private static Item readItem(ByteBuf in) {
        Participant partition = Fields.readParticipant(in);
        long segment = Packed.readUnsigned(in);
        var producer = Fields.readProducer(in);
        int coordinatorEpoch = (int) Packed.readSigned(in);
        return new Item(partition, segment, new Marker(producer, coordinatorEpoch, in.readBoolean()));
    }
}
