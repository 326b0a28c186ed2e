package io.sluice.pulsar.scripts;

import static java.nio.charset.StandardCharsets.UTF_8;

import org.apache.pulsar.client.api.Message;

/** Messages of a {@link FeatureScript}: each has its number as a property, since some have no value. */
final class FeatureMessages {
    static final String NUMBER = "n";

    /** Characters of a chunk. */
    static final int CHUNK = 100;

    private FeatureMessages() {}

    /** A value of so many chunks. */
    static byte[] value(int number, int chunks) {
        String begin = number + "/" + chunks + "/";
        return (begin + "x".repeat(chunks > 1 ? CHUNK * chunks - begin.length() - CHUNK / 2 : 0)).getBytes(UTF_8);
    }

    static int number(Message<?> message) {
        return Integer.parseInt(message.getProperty(NUMBER));
    }

    /** Its number, r if it is of the retry topic, how often it came before, and whether it is as it was sent. */
    static String text(Message<byte[]> message) {
        int number = number(message);
        int again = message.getRedeliveryCount();
        String way = message.getTopicName().endsWith("-retry") ? "r" : "";
        return "%03d%s%s%s".formatted(number, way, again > 0 ? "(" + again + ")" : "", kind(message, number));
    }

    private static String kind(Message<byte[]> message, int number) {
        byte[] data = message.getData();
        if (data == null || data.length == 0) {
            return message.hasKey() ? "-" : " empty";
        }
        String[] parts = new String(data, UTF_8).split("/", -1);
        boolean whole = parts.length == 3
                && Integer.parseInt(parts[0]) == number
                && java.util.Arrays.equals(data, value(number, Integer.parseInt(parts[1])));
        return whole ? "" : " broken";
    }
}
