package io.sluice.store.membership;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.sluice.store.cluster.NodeIdentity;
import java.io.IOException;
import java.time.Instant;
import java.util.UUID;

/**
 * Holder of a lease that is bound to the holder's node: one line.
 *
 * <pre>
 *   2 &lt;node&gt; &lt;incarnation&gt; &lt;state&gt; &lt;term, -1 if none&gt;
 *   1 &lt;node&gt; &lt;incarnation&gt; &lt;expiry, ms since the epoch&gt;     a lease that was timed: read, and held until then
 * </pre>
 *
 * @param term in which a container is served
 */
record HolderRecord(NodeIdentity holder, State state, long term) {
    static final long NO_TERM = -1;

    private static final String FORMAT = "2";
    private static final String TIMED = "1";

    enum State {
        HELD,
        /** The container has been recovered and takes requests. */
        SERVING,
        FREE
    }

    boolean isHeld() {
        return state != State.FREE;
    }

    byte[] encode() {
        return (FORMAT + " " + holder.nodeId() + " " + holder.incarnation() + " " + state + " " + term).getBytes(UTF_8);
    }

    static HolderRecord decode(byte[] bytes) throws IOException {
        String line = new String(bytes, UTF_8);
        String[] fields = line.split(" ", -1);
        try {
            if (fields[0].equals(FORMAT) && fields.length == 5) {
                return new HolderRecord(identity(fields), State.valueOf(fields[3]), Long.parseLong(fields[4]));
            }
            if (fields[0].equals(TIMED) && fields.length == 4) {
                boolean held = Instant.now().isBefore(Instant.ofEpochMilli(Long.parseLong(fields[3])));
                return new HolderRecord(identity(fields), held ? State.HELD : State.FREE, NO_TERM);
            }
        } catch (IllegalArgumentException e) {
            throw new IOException("not a lease: " + line, e);
        }
        throw new IOException("not a lease this release can read: " + line);
    }

    private static NodeIdentity identity(String[] fields) {
        return new NodeIdentity(fields[1], UUID.fromString(fields[2]));
    }
}
