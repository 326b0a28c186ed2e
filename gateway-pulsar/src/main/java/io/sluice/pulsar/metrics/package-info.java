/**
 * The gateway's meters.
 */
@NullMarked
package io.sluice.pulsar.metrics;

import org.jspecify.annotations.NullMarked;
