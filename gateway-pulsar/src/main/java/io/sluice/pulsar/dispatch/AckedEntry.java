package io.sluice.pulsar.dispatch;

import org.jspecify.annotations.Nullable;

/**
 * An entry as an ACK names it.
 *
 * @param ledger if it is not the one that the entry has, another entry is meant, which is lost
 * @param offset of the entry or inside it
 * @param ackSet null for the whole entry
 */
@SuppressWarnings("ArrayRecordComponent")
public record AckedEntry(long ledger, long offset, long @Nullable [] ackSet) {}
