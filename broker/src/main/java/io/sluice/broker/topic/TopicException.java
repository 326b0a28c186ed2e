package io.sluice.broker.topic;

/** A refused change of the catalogue; {@link #reason} maps to a protocol error, the message is for the user. */
public final class TopicException extends Exception {
    /** Why. */
    public enum Reason {
        ALREADY_EXISTS,
        NOT_FOUND,
        INVALID_NAME,
        /** The name is kept for a topic of the system. */
        RESERVED_NAME,
        /** The name is a scalable topic's. */
        SCALABLE,
        INVALID_PARTITIONS,
        INVALID_SETTING,
        /** Shadow topics have the messages of this one, and are to be deleted before it. */
        HAS_SHADOWS,
        /** A scalable segment cannot be split or merged so. */
        INVALID_SEGMENT,
        /** The metadata store or a container did not answer; retriable. */
        UNAVAILABLE
    }

    private final Reason reason;

    public TopicException(Reason reason, String message) {
        super(message, null, false, false);
        this.reason = reason;
    }

    public static TopicException unavailable(String why) {
        return new TopicException(Reason.UNAVAILABLE, why);
    }

    public Reason reason() {
        return reason;
    }
}
