package io.sluice.pulsar.schema;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;
import org.apache.pulsar.common.api.proto.KeyValue;
import org.apache.pulsar.common.api.proto.Schema;

/** A topic's metadata record: {@code version u8, then per schema: length u32, Schema message}. */
final class SchemaRecord {
    private static final byte VERSION = 1;

    private SchemaRecord() {}

    static byte[] encode(List<Schema> schemas) {
        ByteBuf out = Unpooled.buffer();
        out.writeByte(VERSION);
        for (Schema s : schemas) {
            // writing uses up the data of what is written, and these are written again with the next version
            Schema once = detached(s);
            out.writeInt(once.getSerializedSize());
            once.writeTo(out);
        }
        return ByteBufUtil.getBytes(out);
    }

    /** @throws IllegalStateException on a record of a newer version */
    static List<Schema> decode(byte[] bytes) {
        ByteBuf in = Unpooled.wrappedBuffer(bytes);
        byte version = in.readByte();
        if (version != VERSION) {
            throw new IllegalStateException("schema record of version " + version + ": written by a newer release");
        }
        List<Schema> schemas = new ArrayList<>();
        while (in.isReadable()) {
            Schema parsed = new Schema();
            int size = in.readInt();
            int next = in.readerIndex() + size;
            parsed.parseFrom(in, size);
            schemas.add(detached(parsed));
            in.readerIndex(next);
        }
        return schemas;
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
