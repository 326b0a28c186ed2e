package io.sluice.pulsar.metrics;

/** Messages and bytes that went one way, and how fast. Loop only. */
public final class Traffic {
    /** Rates are means over at least this long, in milliseconds. */
    private static final long WINDOW = 10_000;

    private static final long SECOND = 1_000;

    private long messages;
    private long bytes;
    private long windowStart;
    private long messagesBefore;
    private long bytesBefore;
    private double messageRate = -1;
    private double byteRate = -1;

    /** @param now milliseconds since the epoch */
    public Traffic(long now) {
        windowStart = now;
    }

    public void add(long moreMessages, long moreBytes) {
        messages += moreMessages;
        bytes += moreBytes;
    }

    /** Counts since the beginning; rates per second, over the time between the last two looks at least ten seconds apart. */
    public record View(long messages, long bytes, double messageRate, double byteRate) {
        public static final View NONE = new View(0, 0, 0, 0);
    }

    /** A window ends when it is looked at, so that nothing has to be done meanwhile. */
    public View view(long now) {
        long elapsed = now - windowStart;
        double seconds = Math.max(elapsed, SECOND) / (double) SECOND;
        double messagesNow = (messages - messagesBefore) / seconds;
        double bytesNow = (bytes - bytesBefore) / seconds;
        if (elapsed >= WINDOW) {
            windowStart = now;
            messagesBefore = messages;
            bytesBefore = bytes;
            messageRate = messagesNow;
            byteRate = bytesNow;
        }
        return messageRate < 0
                ? new View(messages, bytes, messagesNow, bytesNow)
                : new View(messages, bytes, messageRate, byteRate);
    }
}
