/**
 * Format of a Pulsar entry in the log, and its metadata.
 */
@NullMarked
package io.sluice.pulsar.format;

import org.jspecify.annotations.NullMarked;
