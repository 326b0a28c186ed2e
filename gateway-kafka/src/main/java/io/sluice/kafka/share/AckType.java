package io.sluice.kafka.share;

import org.jspecify.annotations.Nullable;

/** Word of a member on a record that it has in hand. The order is that of the numbers in requests. */
enum AckType {
    /** There is no record at this offset. */
    GAP,
    ACCEPT,
    /** It may be delivered again. */
    RELEASE,
    /** It is never to be delivered again. */
    REJECT,
    /** The member wants it for longer. */
    RENEW;

    private static final AckType[] BY_CODE = values();

    /** Null if there is no such type. */
    static @Nullable AckType of(byte code) {
        return code >= 0 && code < BY_CODE.length ? BY_CODE[code] : null;
    }

    /** Whether the record is done with. */
    boolean ends() {
        return this != RELEASE && this != RENEW;
    }
}
