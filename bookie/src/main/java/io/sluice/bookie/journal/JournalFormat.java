package io.sluice.bookie.journal;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/**
 * BookKeeper's journal files, versions 5 and 6, and the files of {@link KeptLedgers}, which have the same records.
 *
 * <pre>
 *   file:    header 512 | padding | record | padding | record ... | zeros (preallocated)
 *   record:  length i32 | ledger i64 | entry i64 | last confirmed i64 | ledger length i64 | digest | payload
 *   key:     length i32 | ledger i64 | -0x1000 i64 | length i32 | master key
 *   fence:   length i32 | ledger i64 | -0x2000 i64
 *   LAC:     length i32 | ledger i64 | -0x8000 i64 | length i32 | explicit last confirmed
 *   padding: -256 i32 | length i32 | bytes, to a multiple of 4096, in older files of 512
 * </pre>
 *
 * Big endian; {@code length} counts what follows it.
 */
public final class JournalFormat {
    public static final int FILE_HEADER = 512;
    public static final int PADDING = -256;

    /** Padding ends at a multiple of this, whichever bookie wrote the journal. */
    static final int LEAST_ALIGNMENT = 512;

    /** Every write of this journal begins and ends at a multiple of this, by padding: a block of disks and file systems. */
    public static final int WRITE_ALIGNMENT = 4096;

    /** Ledger and entry, the least a record has. */
    public static final int LEAST_RECORD = 16;

    public static final int LAST_CONFIRMED_AT = 16;

    static final long MASTER_KEY = -0x1000;
    static final long FENCE = -0x2000;
    static final long EXPLICIT_LAC = -0x8000;

    private static final String SUFFIX = ".txn";

    private JournalFormat() {}

    /** First block of a journal file: BookKeeper's header, and padding up to where records begin. */
    static ByteBuffer headerBlock(ByteBuffer header) throws IOException {
        if (header.remaining() != FILE_HEADER) {
            throw new IOException("a journal's header of " + header.remaining() + " bytes");
        }
        ByteBuffer block = ByteBuffer.allocateDirect(2 * WRITE_ALIGNMENT)
                .alignedSlice(WRITE_ALIGNMENT)
                .limit(WRITE_ALIGNMENT);
        block.put(header).putInt(PADDING).putInt(WRITE_ALIGNMENT - FILE_HEADER - 2 * Integer.BYTES);
        return block.rewind();
    }

    /** Number of the file that BookKeeper's mark is in; {@code folder} is where it keeps its marks. */
    static long marked(Path folder, int journal, int journals) throws IOException {
        Path mark = folder.resolve(journals == 1 ? "lastMark" : "lastMark." + journal);
        return ByteBuffer.wrap(Files.readAllBytes(mark)).getLong();
    }

    /** The journal's files, oldest first. */
    public static List<Path> files(Path journal) throws IOException {
        try (Stream<Path> files = Files.list(journal)) {
            return files.filter(file -> file.toString().endsWith(SUFFIX))
                    .sorted(Comparator.comparingLong(JournalFormat::number))
                    .toList();
        }
    }

    /** Rises from file to file. */
    static long number(Path file) {
        String name = file.getFileName().toString();
        return Long.parseLong(name.substring(0, name.length() - SUFFIX.length()), 16);
    }
}
