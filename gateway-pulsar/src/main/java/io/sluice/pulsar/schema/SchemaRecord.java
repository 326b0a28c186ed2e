package io.sluice.pulsar.schema;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;
import org.apache.pulsar.common.api.proto.KeyValue;
import org.apache.pulsar.common.api.proto.Schema;

/**
 * A topic's metadata record: {@code version u8, first u64, then per schema: length u32, Schema message}; {@code first} is there from
 * version 2 on, which is written once schemas were deleted.
 *
 * @param first version of the first schema; all before it are deleted
 */
record SchemaRecord(long first, List<Schema> schemas) {
    private static final byte ALL = 1;
    private static final byte LATER_ONES = 2;

    static final SchemaRecord NONE = new SchemaRecord(0, List.of());

    /** The version that the next schema gets. */
    long next() {
        return first + schemas.size();
    }

    SchemaRecord with(Schema schema) {
        List<Schema> more = new ArrayList<>(schemas);
        more.add(schema);
        return new SchemaRecord(first, List.copyOf(more));
    }

    /** That there is none has a version, too, as in Pulsar. */
    SchemaRecord deleted() {
        return new SchemaRecord(next() + 1, List.of());
    }

    byte[] encode() {
        ByteBuf out = Unpooled.buffer();
        out.writeByte(first == 0 ? ALL : LATER_ONES);
        if (first > 0) {
            out.writeLong(first);
        }
        for (Schema s : schemas) {
            // writing uses up the data of what is written, and these are written again with the next version
            Schema once = detached(s);
            out.writeInt(once.getSerializedSize());
            once.writeTo(out);
        }
        return ByteBufUtil.getBytes(out);
    }

    /** @throws IllegalStateException on a record of a newer version */
    static SchemaRecord decode(byte[] bytes) {
        ByteBuf in = Unpooled.wrappedBuffer(bytes);
        byte version = in.readByte();
        if (version != ALL && version != LATER_ONES) {
            throw new IllegalStateException("schema record of version " + version + ": written by a newer release");
        }
        long first = version == ALL ? 0 : in.readLong();
        List<Schema> schemas = new ArrayList<>();
        while (in.isReadable()) {
            Schema parsed = new Schema();
            int size = in.readInt();
            int next = in.readerIndex() + size;
            parsed.parseFrom(in, size);
            schemas.add(detached(parsed));
            in.readerIndex(next);
        }
        return new SchemaRecord(first, List.copyOf(schemas));
    }

    /** A copy that holds on to no buffer and may be read by several threads. */
    static Schema detached(Schema from) {
        Schema to = new Schema()
                .setName(from.getName())
                .setType(from.getType())
                .setSchemaData(from.hasSchemaData() ? from.getSchemaData() : new byte[0]);
        for (int i = 0; i < from.getPropertiesCount(); i++) {
            KeyValue p = from.getPropertyAt(i);
            to.addProperty().setKey(p.getKey()).setValue(p.getValue());
        }
        return to;
    }
}
