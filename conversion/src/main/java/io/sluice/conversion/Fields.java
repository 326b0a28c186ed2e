package io.sluice.conversion;

import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Named values as one text, as in the query of a URL: {@code producer=orders-1&sequence=42}. Every language has a parser of it. */
final class Fields {
    private static final int MOST = 32;
    private static final Base64.Encoder TO_BASE64 = Base64.getUrlEncoder().withoutPadding();
    private static final Base64.Decoder FROM_BASE64 = Base64.getUrlDecoder();

    private final StringBuilder text = new StringBuilder(64);

    /** Adds a value, if there is one. */
    Fields add(String name, @Nullable String value) {
        if (value != null) {
            text.append(text.isEmpty() ? "" : "&").append(name).append('=').append(encode(value));
        }
        return this;
    }

    Fields add(String name, long value) {
        text.append(text.isEmpty() ? "" : "&").append(name).append('=').append(value);
        return this;
    }

    @Override
    public String toString() {
        return text.toString();
    }

    /** The values by name; null if it is no such text, or has a name twice. */
    static @Nullable Map<String, String> parse(String text) {
        Map<String, String> values = new HashMap<>();
        for (int at = 0; at < text.length(); ) {
            int end = text.indexOf('&', at);
            end = end < 0 ? text.length() : end;
            int equals = text.indexOf('=', at);
            if (equals <= at || equals > end || values.size() == MOST) {
                return null;
            }
            String value = decode(text.substring(equals + 1, end));
            if (value == null || values.put(text.substring(at, equals), value) != null) {
                return null;
            }
            at = end + 1;
        }
        return values;
    }

    static String encode(String value) {
        return isPlain(value) ? value : URLEncoder.encode(value, StandardCharsets.UTF_8);
    }

    /** Null if the value is not encoded. */
    static @Nullable String decode(String value) {
        if (isPlain(value)) {
            return value;
        }
        try {
            return URLDecoder.decode(value, StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            return null;
        }
    }

    private static boolean isPlain(String value) {
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            boolean plain = c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9';
            if (!plain && c != '-' && c != '_' && c != '.') {
                return false;
            }
        }
        return true;
    }

    /** In the alphabet of URLs, without padding. */
    static String base64(byte[] bytes) {
        return TO_BASE64.encodeToString(bytes);
    }

    /** Null if it is none. */
    static byte @Nullable [] fromBase64(String text) {
        try {
            return FROM_BASE64.decode(text);
        } catch (IllegalArgumentException e) {
            return null;
        }
    }
}
