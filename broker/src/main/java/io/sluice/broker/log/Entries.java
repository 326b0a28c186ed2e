package io.sluice.broker.log;

import io.netty.buffer.ByteBuf;

/**
 * A run of whole entries as they lie in the log, all of one family of formats.
 *
 * @param bytes the entries one after the other; may pin cache blocks. The receiver of this record releases it
 * @param format see {@link io.sluice.broker.entry.EntryFormat#family}
 * @param nextOffset the offset after the last entry
 */
public record Entries(ByteBuf bytes, byte format, long nextOffset) {}
