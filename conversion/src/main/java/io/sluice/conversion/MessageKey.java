package io.sluice.conversion;

import java.util.Arrays;
import java.util.Base64;
import org.jspecify.annotations.Nullable;

/**
 * Key of a Pulsar message: text, or bytes as Base64, which its flag says. In Kafka it is the bytes; these come back as text if they are UTF-8.
 * Fields of the message tell a key that does not follow that rule.
 *
 * @param text as it stands in Pulsar's metadata
 * @param base64 the flag
 */
public record MessageKey(String text, boolean base64) {
    /** The key that Kafka's bytes are by rule. */
    static MessageKey of(byte[] bytes) {
        String text = Utf8.text(bytes);
        return text == null ? ofBytes(bytes) : new MessageKey(text, false);
    }

    static MessageKey ofBytes(byte[] bytes) {
        return new MessageKey(Base64.getEncoder().encodeToString(bytes), true);
    }

    /** The key in Kafka. Those of the text where it is said to be Base64 and is not. */
    public byte[] bytes() {
        byte[] decoded = base64 ? decoded() : null;
        return decoded == null ? Utf8.bytes(text) : decoded;
    }

    private byte @Nullable [] decoded() {
        try {
            return Base64.getDecoder().decode(text);
        } catch (IllegalArgumentException e) {
            return null;
        }
    }

    /** Adds what the bytes alone would not say. */
    void addTo(Fields fields, byte[] bytes) {
        if (!base64 || equals(of(bytes))) {
            return;
        }
        if (text.equals(ofBytes(bytes).text())) {
            fields.add(PulsarFields.KEY_IS_BASE64, 1);
        } else {
            fields.add(PulsarFields.KEY_RAW, text);
        }
    }

    /** Whether this key has these bytes in Kafka. */
    boolean has(byte @Nullable [] bytes) {
        return bytes != null && Arrays.equals(bytes(), bytes);
    }
}
