package io.sluice.pulsar.dispatch;

import io.netty.buffer.ByteBuf;
import io.sluice.broker.entry.EntryFormat;
import io.sluice.broker.entry.EntryHeader;
import io.sluice.broker.log.Entries;
import io.sluice.broker.log.EntriesReply;
import io.sluice.broker.log.Isolation;
import io.sluice.broker.log.PartitionLog;
import io.sluice.conversion.EntryConversions;
import io.sluice.store.segment.StoreFailure;
import org.jspecify.annotations.Nullable;

/**
 * Looks for the last entry that a consumer may see. It lies behind nothing but ends of transactions and aborted ones, so the search
 * goes back from the end in windows that grow. Where it was is remembered: nothing is looked through twice. A Kafka batch, or one with gaps, is converted, as a
 * consumer's will be: one that does not read is one message. Loop only.
 */
public final class LastMessage {
    private static final int GROWTH = 8;
    private static final int LARGEST_WINDOW = 4096;
    private static final int READ_BYTES = 256 << 10;

    private final PartitionLog log;
    private final @Nullable EntryConversions conversions;

    /** Up to here {@link #base} is the last one. */
    private long searched;

    private long base = -1;
    private int offsets;

    /** @param conversions of batches; null to take them at their word */
    LastMessage(PartitionLog log, @Nullable EntryConversions conversions) {
        this.log = log;
        this.conversions = conversions;
    }

    /** Once, of a partition that may have no hub. */
    public static void find(PartitionLog log, EntryLocation reply) {
        new LastMessage(log, null).find(reply);
    }

    /** @param reply {@code gone} if there is none */
    void find(EntryLocation reply) {
        new Search(log.readableEnd(Isolation.COMMITTED), reply).run();
    }

    private void tell(EntryLocation reply) {
        if (base >= 0 && base + offsets > log.startOffset()) {
            reply.entry(base, offsets);
        } else {
            reply.gone();
        }
    }

    private final class Search implements EntriesReply {
        private final long end;
        private final EntryLocation reply;
        private int window = 1;

        /** The window is {@code [from, to)}, of which what is before {@code at} was looked through. */
        private long from;

        private long to;
        private long at;
        private long foundBase = -1;
        private int foundOffsets;
        private boolean foundIsConverted;
        private boolean foundHasGaps;
        private boolean running;
        /** The read that was begun last is over. */
        private boolean came;

        Search(long end, EntryLocation reply) {
            this.end = end;
            this.reply = reply;
            this.to = end;
            this.from = end;
            this.at = end;
        }

        /** Answers that come at once do not deepen the stack: where transactions end, each entry is a read. */
        void run() {
            if (running) {
                return;
            }
            running = true;
            boolean more = true;
            while (more) {
                more = step();
            }
            running = false;
        }

        /** False if a read is still under way, or the answer was given. */
        private boolean step() {
            if (at < to) {
                came = false;
                log.read(at, window == GROWTH ? 1 : READ_BYTES, Isolation.COMMITTED, this);
                return came;
            }
            if (foundBase >= 0) {
                if (foundIsConverted && conversions != null) {
                    ConvertedEntry.last(log, foundBase, foundHasGaps, conversions, asConverted());
                } else {
                    found();
                }
                return false;
            }
            return nextWindow();
        }

        /** The window before the present one; false if there is none, and the answer was given. */
        private boolean nextWindow() {
            long floor = Math.max(searched, log.startOffset());
            to = from;
            if (to <= floor) {
                searched = Math.max(searched, end);
                tell(reply);
                return false;
            }
            from = Math.max(floor, to - window);
            window = Math.min(LARGEST_WINDOW, window * GROWTH);
            at = from;
            return true;
        }

        @Override
        public void entries(Entries entries) {
            ByteBuf bytes = entries.bytes();
            try {
                look(bytes, new LeftOut(log, entries.nextOffset()));
            } finally {
                bytes.release();
            }
            at = entries.nextOffset();
            goOn();
        }

        private void look(ByteBuf bytes, LeftOut leftOut) {
            int last = bytes.writerIndex();
            for (int i = bytes.readerIndex(); i < last; i += EntryHeader.size(bytes, i)) {
                if (EntryHeader.baseOffset(bytes, i) < to
                        && !leftOut.is(bytes, i)
                        && EntryHeader.count(bytes, i) > 0) { // else it is a Kafka batch of which nothing is left
                    foundHasGaps = EntryConversions.hasGaps(bytes, i);
                    boolean atItsWord = foundHasGaps && conversions == null;
                    foundBase = atItsWord ? EntryHeader.lastOffset(bytes, i) : EntryHeader.baseOffset(bytes, i);
                    foundOffsets = atItsWord ? 1 : EntryHeader.offsets(bytes, i);
                    foundIsConverted = foundHasGaps || EntryHeader.format(bytes, i) == EntryFormat.KAFKA_V2;
                }
            }
        }

        private void goOn() {
            came = true;
            run();
        }

        private EntryLocation asConverted() {
            return new EntryLocation() {
                @Override
                public void entry(long base, int offsets) {
                    foundBase = base;
                    foundOffsets = offsets;
                    found();
                }

                /** Retention has taken it meanwhile. */
                @Override
                public void gone() {
                    reply.gone();
                }

                @Override
                public void failed(StoreFailure why) {
                    reply.failed(why);
                }
            };
        }

        private void found() {
            if (end >= searched) {
                searched = end;
                base = foundBase;
                offsets = foundOffsets;
            }
            tell(reply);
        }

        @Override
        public void atEnd() {
            at = to;
            goOn();
        }

        /** Retention has gone on. */
        @Override
        public void outOfRange(long startOffset, long endOffset) {
            at = Math.max(at + 1, startOffset);
            goOn();
        }

        @Override
        public void failed(StoreFailure why) {
            reply.failed(why);
        }
    }
}
