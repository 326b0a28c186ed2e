package io.sluice.broker.rate;

/**
 * Messages and bytes in a period.
 *
 * @param messages 0 for any number
 * @param bytes 0 for any number
 * @param seconds the period
 * @param relative whether the rate at which messages are published comes on top
 */
public record Rate(long messages, long bytes, int seconds, boolean relative) {
    public static final Rate NONE = new Rate(0, 0, 1, false);

    public Rate {
        messages = Math.max(0, messages);
        bytes = Math.max(0, bytes);
        seconds = Math.max(1, seconds);
    }

    public boolean limits() {
        return messages > 0 || bytes > 0;
    }
}
