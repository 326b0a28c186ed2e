package io.sluice.conversion;

import java.nio.ByteBuffer;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Bytes that Confluent's serializers write before a value: a zero, the schema's id, and for Protobuf the place of the message in its file.
 *
 * @param id in the registry, above 0
 * @param index of a Protobuf message, as it was written; empty for other types
 */
record SchemaPrefix(int id, byte[] index) {
    /** The zero and the id. */
    static final int SIZE = 1 + Integer.BYTES;

    /** More than any message that can be told apart needs. */
    private static final int MOST_INDEX = 64;

    private static final byte MAGIC = 0;
    private static final byte[] NO_INDEX = {};

    static SchemaPrefix of(int id) {
        return new SchemaPrefix(id, NO_INDEX);
    }

    /** The id that a value begins with; 0 if it begins with none. */
    static int idOf(ByteBuffer value) {
        int at = value.position();
        return value.remaining() >= SIZE && value.get(at) == MAGIC ? Math.max(0, value.getInt(at + 1)) : 0;
    }

    byte[] bytes() {
        return ByteBuffer.allocate(size()).put(MAGIC).putInt(id).put(index).array();
    }

    int size() {
        return SIZE + index.length;
    }

    boolean begins(ByteBuffer value) {
        return value.remaining() >= size()
                && idOf(value) == id
                && value.slice(value.position() + SIZE, index.length).equals(ByteBuffer.wrap(index));
    }

    /** The id, then a dot and the index in Base64 of URLs where there is one. */
    @Override
    public String toString() {
        return index.length == 0 ? Integer.toString(id) : id + "." + Fields.base64(index);
    }

    /** Null if it is not exactly what {@link #toString} writes. */
    static @Nullable SchemaPrefix parse(String text) {
        int dot = text.indexOf('.');
        try {
            int id = Integer.parseInt(dot < 0 ? text : text.substring(0, dot));
            byte[] index = dot < 0 ? NO_INDEX : Fields.fromBase64(text.substring(dot + 1));
            if (id <= 0 || index == null || index.length > MOST_INDEX) {
                return null;
            }
            SchemaPrefix read = new SchemaPrefix(id, index);
            return read.toString().equals(text) ? read : null;
        } catch (NumberFormatException e) {
            return null;
        }
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof SchemaPrefix prefix && id == prefix.id && Arrays.equals(index, prefix.index);
    }

    @Override
    public int hashCode() {
        return 31 * id + Arrays.hashCode(index);
    }
}
