/**
 * The Pulsar protocol over the broker's partition logs: binary protocol on one port, REST on a router of the server's. This
 * package only puts the others together; none of them uses it.
 * <p>May use the broker and the public door of core-store; never the other gateway, tiering or BookKeeper.
 */
@NullMarked
package io.sluice.pulsar;

import org.jspecify.annotations.NullMarked;
