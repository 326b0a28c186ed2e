package io.sluice.store.cluster;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.time.Instant;
import java.util.UUID;

/**
 * Value of {@code /sluice/containers/<id>/lease}: one line, {@code 1 <node id> <incarnation> <expiry>}, the expiry in
 * milliseconds since the epoch. Version 1.
 */
record LeaseRecord(NodeIdentity holder, Instant expiresAt) {
    private static final String FORMAT = "1";

    byte[] encode() {
        return (FORMAT + " " + holder.nodeId() + " " + holder.incarnation() + " " + expiresAt.toEpochMilli())
                .getBytes(UTF_8);
    }

    static LeaseRecord decode(byte[] bytes) throws IOException {
        String line = new String(bytes, UTF_8);
        String[] fields = line.split(" ", -1);
        if (!fields[0].equals(FORMAT) || fields.length != 4) {
            throw new IOException("not a lease this release can read: " + line);
        }
        try {
            NodeIdentity holder = new NodeIdentity(fields[1], UUID.fromString(fields[2]));
            return new LeaseRecord(holder, Instant.ofEpochMilli(Long.parseLong(fields[3])));
        } catch (IllegalArgumentException e) {
            throw new IOException("not a lease: " + line, e);
        }
    }
}
