package io.sluice.pulsar.dispatch;

import org.jspecify.annotations.Nullable;

/**
 * An entry as an ACK names it.
 *
 * @param offset of the entry or inside it
 * @param ackSet null for the whole entry
 */
@SuppressWarnings("ArrayRecordComponent")
public record AckedEntry(long offset, long @Nullable [] ackSet) {}
