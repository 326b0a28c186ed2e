/**
 * Pulsar's WebSocket interface: JSON of producers, consumers and readers to commands of the binary protocol and back. Each socket is a connection of
 * the gateway without a socket of its own, so that rights, limits and bounds are those of every connection.
 */
@NullMarked
package io.sluice.pulsar.websocket;

import org.jspecify.annotations.NullMarked;
