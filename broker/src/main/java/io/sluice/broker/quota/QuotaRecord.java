package io.sluice.broker.quota;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.util.Base64;
import java.util.EnumMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Quotas of an entity as stored: their version in the first line, 2 if one of them is of requests' time, else 1; then a line for each quota,
 * {@code key unitsPerSecond}. The record's name has the entity, in base64: a line for its user and one for its client id, {@code user=name}, or {@code user} for the default.
 */
final class QuotaRecord {
    private static final String VERSION = "1";
    private static final String WITH_TIME = "2";
    private static final String USER = "user";
    private static final String CLIENT_ID = "client-id";

    private QuotaRecord() {}

    static String nameOf(QuotaEntity entity) {
        var text = new StringBuilder();
        append(text, USER, entity.user());
        append(text, CLIENT_ID, entity.clientId());
        return Base64.getUrlEncoder()
                .withoutPadding()
                .encodeToString(text.toString().getBytes(UTF_8));
    }

    private static void append(StringBuilder text, String type, @Nullable QuotaName name) {
        if (name != null) {
            text.append(type)
                    .append(name.name() == null ? "" : "=" + name.name())
                    .append('\n');
        }
    }

    /** Null if the record is none of quotas. */
    static @Nullable QuotaEntity entityOf(String name) {
        QuotaName user = null;
        QuotaName clientId = null;
        try {
            for (String line : new String(Base64.getUrlDecoder().decode(name), UTF_8).split("\n")) {
                String[] words = line.split("=", 2);
                QuotaName named = words.length == 1 ? QuotaName.DEFAULT : new QuotaName(words[1]);
                if (words[0].equals(USER)) {
                    user = named;
                } else if (words[0].equals(CLIENT_ID)) {
                    clientId = named;
                } else {
                    return null;
                }
            }
        } catch (IllegalArgumentException e) {
            return null;
        }
        return user == null && clientId == null ? null : new QuotaEntity(user, clientId);
    }

    static byte[] encode(Map<QuotaKey, Long> limits) {
        var text = new StringBuilder(version(limits.containsKey(QuotaKey.REQUEST_PERCENTAGE))).append('\n');
        limits.forEach((key, limit) ->
                text.append(key.word()).append(' ').append(limit.longValue()).append('\n'));
        return text.toString().getBytes(UTF_8);
    }

    private static String version(boolean withTime) {
        return withTime ? WITH_TIME : VERSION;
    }

    /** @throws IOException a version or a line that this server does not know */
    static Map<QuotaKey, Long> decode(QuotaEntity entity, byte[] stored) throws IOException {
        String[] lines = new String(stored, UTF_8).split("\n");
        boolean withTime = lines[0].equals(WITH_TIME);
        if (!withTime && !lines[0].equals(VERSION)) {
            throw new IOException(
                    "the record of quotas of " + entity + " has version " + lines[0] + ", known are 1 and 2");
        }
        Map<QuotaKey, Long> limits = new EnumMap<>(QuotaKey.class);
        for (int i = 1; i < lines.length; i++) {
            String[] words = lines[i].split(" ");
            QuotaKey key = QuotaKey.of(words[0]);
            long limit = words.length == 2 ? parsed(words[1]) : 0;
            if (key == null || limit < 1 || key == QuotaKey.REQUEST_PERCENTAGE && !withTime) {
                throw new IOException(
                        "the record of quotas of " + entity + " has a line '" + lines[i] + "', which is not known");
            }
            limits.put(key, limit);
        }
        return limits;
    }

    /** 0 if it is no number. */
    private static long parsed(String word) {
        try {
            return Long.parseLong(word);
        } catch (NumberFormatException e) {
            return 0;
        }
    }
}
