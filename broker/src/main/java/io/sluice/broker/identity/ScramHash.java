package io.sluice.broker.identity;

import org.jspecify.annotations.Nullable;

/** Hash of a SCRAM mechanism (RFC 5802, RFC 7677). */
public enum ScramHash {
    SHA_256("SCRAM-SHA-256", "SHA-256", "HmacSHA256", 256),
    SHA_512("SCRAM-SHA-512", "SHA-512", "HmacSHA512", 512);

    private final String mechanism;
    private final String digest;
    private final String mac;
    private final int bits;

    ScramHash(String mechanism, String digest, String mac, int bits) {
        this.mechanism = mechanism;
        this.digest = digest;
        this.mac = mac;
        this.bits = bits;
    }

    /** Name as in SASL. */
    public String mechanism() {
        return mechanism;
    }

    String digest() {
        return digest;
    }

    String mac() {
        return mac;
    }

    int bits() {
        return bits;
    }

    /** Null if there is no such mechanism. */
    public static @Nullable ScramHash of(String mechanism) {
        for (ScramHash each : values()) {
            if (each.mechanism.equals(mechanism)) {
                return each;
            }
        }
        return null;
    }
}
