package io.sluice.pulsar.admin;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.vertx.core.json.DecodeException;
import io.vertx.core.json.Json;
import io.vertx.core.json.JsonObject;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Key-value schemas as the admin interface writes them, {@code {"key": schema, "value": schema}} with an empty text for one of a primitive
 * type, and as they are stored: {@code keyLength u32, key, valueLength u32, value}.
 */
final class KeyValueText {
    private KeyValueText() {}

    static byte[] stored(String text) {
        JsonObject halves = new JsonObject(text);
        byte[] key = bytes(halves.getValue("key"));
        byte[] value = bytes(halves.getValue("value"));
        return ByteBuffer.allocate(2 * Integer.BYTES + key.length + value.length)
                .putInt(key.length)
                .put(key)
                .putInt(value.length)
                .put(value)
                .array();
    }

    private static byte[] bytes(@Nullable Object schema) {
        return schema == null || "".equals(schema)
                ? new byte[0]
                : Json.encode(schema).getBytes(UTF_8);
    }

    /** Stored data as text; data that cannot be read is shown as it is. */
    static String shown(byte[] data) {
        ByteBuffer in = ByteBuffer.wrap(data);
        try {
            Object key = half(in);
            return new JsonObject().put("key", key).put("value", half(in)).encode();
        } catch (RuntimeException e) {
            return new String(data, UTF_8);
        }
    }

    private static Object half(ByteBuffer in) {
        int length = in.getInt();
        if (length < 0 || length > in.remaining()) {
            throw new DecodeException("ends too early");
        }
        byte[] schema = new byte[length];
        in.get(schema);
        return length == 0 ? "" : Json.decodeValue(new String(schema, UTF_8));
    }
}
