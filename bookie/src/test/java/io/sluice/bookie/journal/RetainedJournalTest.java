package io.sluice.bookie.journal;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.apache.bookkeeper.bookie.CheckpointSource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class RetainedJournalTest {
    private static final int STRETCH = 100;

    private final Marks marks = new Marks();
    private final List<Long> marksWhenRecycled = new ArrayList<>();
    private final RetainedJournal journal = new RetainedJournal(STRETCH);

    /** A journal that is at a position, and whose mark stands at one. */
    private static final class Marks implements CheckpointSource {
        private long at;
        private long mark = -1;

        private record Position(long at) implements Checkpoint {
            @Override
            public int compareTo(Checkpoint other) {
                return Long.compare(at, ((Position) other).at);
            }
        }

        @Override
        public Checkpoint newCheckpoint() {
            return new Position(at);
        }

        @Override
        public void checkpointComplete(Checkpoint checkpoint, boolean compact) {
            mark = ((Position) checkpoint).at;
        }
    }

    @BeforeEach
    void started() {
        journal.startedWith(marks, 0);
        journal.next();
    }

    private void write(int bytes) {
        marks.at += bytes;
        journal.added(bytes);
    }

    private void release(long oldest) throws IOException {
        journal.release(oldest, () -> marksWhenRecycled.add(marks.mark));
    }

    @Test
    void whatNobodyNeedsGoesBeforeTheMarkMovesOn() throws IOException {
        write(STRETCH);
        long needed = journal.current();
        write(STRETCH);
        release(needed);
        assertThat(marksWhenRecycled).containsExactly((long) STRETCH);
        assertThat(marks.mark).isEqualTo(2 * STRETCH);
        assertThat(journal.bytes()).isEqualTo(STRETCH);
    }

    @Test
    void aStartReplaysLittleThoughNothingCanGo() throws IOException {
        long needed = journal.current();
        release(needed);
        write(STRETCH);
        release(needed);
        assertThat(marks.mark).isEqualTo(STRETCH);
        assertThat(marksWhenRecycled).hasSize(1);
    }

    @Test
    void anIdleJournalIsLeftAlone() throws IOException {
        write(1);
        release(journal.current());
        marks.mark = -1;
        release(journal.current());
        assertThat(marks.mark).isEqualTo(-1);
    }
}
