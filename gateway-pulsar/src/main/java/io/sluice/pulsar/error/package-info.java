/**
 * From the failures of the broker and the store to Pulsar's codes, exhaustively.
 */
@NullMarked
package io.sluice.pulsar.error;

import org.jspecify.annotations.NullMarked;
