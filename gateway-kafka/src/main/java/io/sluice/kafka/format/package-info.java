/**
 * Kafka's formats and names in the shared store: batch validation, looking into batches, topic names and settings.
 * <p>Pure: no connection, no I/O.
 */
@NullMarked
package io.sluice.kafka.format;

import org.jspecify.annotations.NullMarked;
