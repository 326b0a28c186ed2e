/**
 * Bytes on the wire: frames out of a byte stream, Kafka's message classes over Netty buffers, responses around log slices.
 * <p>Knows neither connections nor handlers.
 */
@NullMarked
package io.sluice.kafka.wire;

import org.jspecify.annotations.NullMarked;
