/**
 * What a Pulsar entry looks like in the log and how its metadata reads.
 */
@NullMarked
package io.sluice.pulsar.format;

import org.jspecify.annotations.NullMarked;
