package io.sluice.bookie.journal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Readers that ask for one entry after the other cost few reads, and all get what they asked for. */
class ReadAheadTest {
    private static final int ENTRIES = 1_000;
    private static final int TOGETHER = 100;

    private final List<ByteBuf> given = new ArrayList<>();
    private int reads;
    private final ReadAhead ahead = new ReadAhead(this::fromDisk);

    private List<ByteBuf> fromDisk(long ledger, long first, boolean alone) throws IOException {
        reads++;
        if (first >= ENTRIES) {
            throw new IOException("there is no such entry");
        }
        List<ByteBuf> entries = new ArrayList<>();
        for (long each = first; each < Math.min(ENTRIES, alone ? first + 1 : first + TOGETHER); each++) {
            entries.add(Unpooled.buffer(16).writeLong(ledger).writeLong(each));
        }
        given.addAll(entries);
        return entries;
    }

    private void check(long ledger, long number) throws IOException {
        ByteBuf entry = ahead.read(ledger, number);
        assertThat(entry.getLong(0)).isEqualTo(ledger);
        assertThat(entry.getLong(8)).isEqualTo(number);
        entry.release();
    }

    private void checkReleased() {
        ahead.close();
        assertThat(given).allSatisfy(each -> assertThat(each.refCnt()).isZero());
    }

    @Test
    void manyEntriesInARowCostFewReads() throws IOException {
        for (int number = 0; number < ENTRIES; number++) {
            check(7, number);
            check(8, number);
        }
        assertThat(reads).isEqualTo(2 * 11);
        checkReleased();
    }

    @Test
    void singleEntriesAreReadAlone() throws IOException {
        for (int number = ENTRIES - 2; number >= 0; number -= 2) {
            check(7, number);
        }
        assertThat(given).hasSize(reads);
        checkReleased();
    }

    @Test
    void readersOfManyLedgersAndAnyEntriesGetWhatTheyAskFor() throws IOException {
        var random = new Random(11);
        long[] next = new long[40];
        for (int turn = 0; turn < 20_000; turn++) {
            int ledger = random.nextInt(next.length);
            switch (random.nextInt(50)) {
                case 0 -> next[ledger] = random.nextInt(ENTRIES);
                case 1 -> ahead.forget(ledger);
                default -> {}
            }
            check(ledger, next[ledger] % ENTRIES);
            next[ledger]++;
        }
        assertThat(given.stream().filter(each -> each.refCnt() > 0)).hasSizeLessThanOrEqualTo(16 * TOGETHER);
        checkReleased();
    }

    @Test
    void whatIsNotThereIsNotThere() throws IOException {
        check(7, ENTRIES - 2);
        check(7, ENTRIES - 1);
        assertThatThrownBy(() -> ahead.read(7, ENTRIES)).isInstanceOf(IOException.class);
        check(7, ENTRIES - 1);
        checkReleased();
    }
}
