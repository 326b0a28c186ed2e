/**
 * Bytes of the binary protocol: cutting frames out of a stream, encoding frames, checksums, message ids and ack sets. Knows no
 * broker.
 */
@NullMarked
package io.sluice.pulsar.wire;

import org.jspecify.annotations.NullMarked;
