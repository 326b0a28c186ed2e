package io.sluice.broker.peer.net;

import io.sluice.broker.identity.ConnectionCounts;
import io.sluice.store.tls.RefusalLines;
import org.slf4j.Logger;

/** Bounds of what strangers cost: lines of the log in a minute, and connections of one address that have not proved themselves. Any thread. */
record Refusals(RefusalLines lines, ConnectionCounts strangers) {
    /** Connections of one address that have not proved themselves. */
    static final int STRANGERS = 32;

    Refusals(Logger log) {
        this(new RefusalLines(log, "the internal listener"), new ConnectionCounts(STRANGERS));
    }
}
