/** Questions between nodes over TCP, in frames as Kafka has them, on a listener of their own. Netty's loops; nothing here blocks. */
@NullMarked
package io.sluice.broker.peer.net;

import org.jspecify.annotations.NullMarked;
