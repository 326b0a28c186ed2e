package io.sluice.bookie.journal;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;

/** What a start looks for behind the last record of a file, which holds whatever clients wrote before. */
class EntrySearchTest {
    private static final int LARGEST = CheckedFile.MOST_RECORD;
    private static final int SEARCHED = 1 << 20;

    /** Steps of the checksum per byte that is searched: two where the search is, and up to four where an entry would end. */
    private static final int SUMMED_PER_BYTE = 6;

    /** Integers that fall: wherever one begins, it could be the length of an entry of up to 8 MiB. */
    @Test
    void whatClientsWroteDoesNotDecideHowMuchASearchReads() throws IOException {
        ByteBuffer content = ByteBuffer.allocate(SEARCHED + LARGEST);
        for (int value = LARGEST; content.hasRemaining(); value--) {
            content.putInt(value);
        }
        var bytes = new CountedBytes(content);
        assertThat(new CheckedFile(Path.of("1.txn"), bytes, 0)
                        .entries(0, SEARCHED)
                        .count())
                .isZero();
        assertThat(bytes.handedOut).isLessThanOrEqualTo(content.capacity());
    }

    /** Small integers that fall, as bytes: at three of four what could be an entry begins. No other content has more of it. */
    @Test
    void norHowManyBytesItComputesChecksumsOver() throws IOException {
        ByteBuffer content = ByteBuffer.allocate(SEARCHED + LARGEST);
        while (content.hasRemaining()) {
            content.putInt(0x7f - content.position() / Integer.BYTES % (0x7f - CheckedFile.FRAME_AT));
        }
        var search = new EntrySearch(new CountedBytes(content), 0, SEARCHED);
        assertThat(search.run().count()).isZero();
        assertThat(search.summed())
                .isBetween(SUMMED_PER_BYTE / 2L * SEARCHED, content.capacity() + (long) SUMMED_PER_BYTE * SEARCHED);
    }

    /** As one finds them who computes the checksum of each by itself. */
    @Test
    void findsEveryEntryWhereverItBeginsAndHoweverLongItIs() throws IOException {
        Random random = new Random(1);
        for (int round = 0; round < 30; round++) {
            ByteBuffer content = ByteBuffer.allocate(random.nextInt(30 << 20) + 100);
            List<String> written = new ArrayList<>();
            while (content.remaining() > 100) {
                int gap = Math.min(random.nextInt(random.nextBoolean() ? 9 : 2 << 20), content.remaining() - 100);
                if (random.nextBoolean()) {
                    content.position(content.position() + gap); // zeros
                } else {
                    byte[] other = new byte[gap];
                    random.nextBytes(other);
                    content.put(other);
                }
                int most = Math.min(random.nextBoolean() ? LARGEST : 5_000, content.remaining() - 4);
                int length = random.nextInt(8) == 0
                        ? most
                        : CheckedFile.FRAME_AT + random.nextInt(most - CheckedFile.FRAME_AT + 1);
                written.add(content.position() + "+" + length);
                entry(content, length, random, written.size());
            }
            FileRecords found = new EntrySearch(new CountedBytes(content), 0, content.capacity()).run();
            List<String> places = new ArrayList<>();
            for (int entry = 0; entry < found.count(); entry++) {
                places.add(found.at(entry) + "+" + found.length(entry));
                assertThat(found.entry(entry)).isEqualTo(entry + 1);
            }
            assertThat(places).as("round %d", round).isEqualTo(written);
        }
    }

    private static void entry(ByteBuffer to, int length, Random random, int number) {
        byte[] frame = new byte[length - CheckedFile.FRAME_AT];
        random.nextBytes(frame);
        ByteBuffer head = ByteBuffer.allocate(CheckedFile.DIGEST_AT)
                .putLong(7)
                .putLong(number)
                .putLong(number - 1)
                .putLong(0);
        var checksum = new CRC32C();
        checksum.update(head.array());
        checksum.update(frame);
        to.putInt(length).put(head.array()).putInt((int) checksum.getValue()).put(frame);
    }

    /** Fails whoever reads four times what there is. */
    private static final class CountedBytes implements FileBytes {
        private final ByteBuffer content;
        long handedOut;

        CountedBytes(ByteBuffer content) {
            this.content = content;
        }

        @Override
        public long size() {
            return content.capacity();
        }

        @Override
        public int intAt(long at) {
            return content.getInt((int) at);
        }

        @Override
        public long longAt(long at) {
            return content.getLong((int) at);
        }

        @Override
        public ByteBuffer slice(long at, int length) {
            handedOut += length;
            assertThat(handedOut).as("bytes read").isLessThanOrEqualTo(4L * content.capacity());
            return content.slice((int) at, length);
        }

        @Override
        public void close() {}
    }
}
