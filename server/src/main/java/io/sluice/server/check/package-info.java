/**
 * {@code sluice check}: a client of a running server, over its three ports. Uses kafka-clients and Pulsar's command classes, and
 * nothing of the server.
 */
@NullMarked
package io.sluice.server.check;

import org.jspecify.annotations.NullMarked;
