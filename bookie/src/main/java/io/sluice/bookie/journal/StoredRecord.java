package io.sluice.bookie.journal;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/**
 * Where a record is.
 *
 * @param at behind its length
 * @param length in bytes
 */
record StoredRecord(RecordFile file, long at, int length) {
    /** Read at once, as far as it is in one file. */
    private static final int STRETCH = 1 << 20;

    /** Between two records, of other ledgers, rather read than jumped over. */
    private static final int GAP = 64 << 10;

    private long end() {
        return at + length;
    }

    /** Their bytes, in order, past the page cache. Slices of few buffers; the caller releases them. */
    static List<ByteBuf> read(List<StoredRecord> records, ByteBufAllocator allocator) throws IOException {
        List<ByteBuf> read = new ArrayList<>(records.size());
        try {
            int next = 0;
            while (next < records.size()) {
                int behind = stretch(records, next, STRETCH);
                readStretch(records.subList(next, behind), allocator, read);
                next = behind;
            }
            return read;
        } catch (IOException | RuntimeException e) {
            read.forEach(ByteBuf::release);
            throw e;
        }
    }

    /** How many of the records, from the first on, can be read at once without reading more than so many bytes. */
    static int together(List<StoredRecord> records, int mostBytes) {
        return records.isEmpty() ? 0 : stretch(records, 0, mostBytes);
    }

    /** The first record behind {@code first} that is not read together with it. */
    private static int stretch(List<StoredRecord> records, int first, int mostBytes) {
        StoredRecord begin = records.get(first);
        long end = begin.end();
        int next = first + 1;
        while (next < records.size()) {
            StoredRecord candidate = records.get(next);
            if (candidate.file != begin.file
                    || candidate.at < end
                    || candidate.at > end + GAP
                    || candidate.end() - begin.at > mostBytes) {
                break;
            }
            end = candidate.end();
            next++;
        }
        return next;
    }

    private static void readStretch(List<StoredRecord> records, ByteBufAllocator allocator, List<ByteBuf> to)
            throws IOException {
        StoredRecord first = records.getFirst();
        int length = Math.toIntExact(records.getLast().end() - first.at);
        ByteBuf stretch = first.file.readPastCache(first.at, length, allocator);
        try {
            for (StoredRecord record : records) {
                int from = stretch.readerIndex() + (int) (record.at - first.at);
                to.add(stretch.retainedSlice(from, record.length));
            }
        } finally {
            stretch.release();
        }
    }
}
