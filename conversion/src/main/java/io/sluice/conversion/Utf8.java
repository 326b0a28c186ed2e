package io.sluice.conversion;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** Bytes that are text, and those that are not. */
final class Utf8 {
    private Utf8() {}

    static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    /** The text whose UTF-8 these bytes are; null if they are of none. */
    static @Nullable String text(byte[] bytes) {
        for (byte b : bytes) {
            if (b < 0) {
                return strict(bytes);
            }
        }
        return new String(bytes, StandardCharsets.US_ASCII);
    }

    private static @Nullable String strict(byte[] bytes) {
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes))
                    .toString();
        } catch (CharacterCodingException e) {
            return null;
        }
    }

    static byte @Nullable [] bytes(@Nullable ByteBuffer buffer) {
        if (buffer == null) {
            return null;
        }
        byte[] bytes = new byte[buffer.remaining()];
        buffer.duplicate().get(bytes);
        return bytes;
    }
}
