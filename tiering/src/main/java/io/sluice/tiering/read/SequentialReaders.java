package io.sluice.tiering.read;

import java.util.ArrayDeque;
import java.util.Iterator;

/**
 * Tells who reads on from where an answer ended. A reader may drop the end of an answer, when that is only a part of what
 * it can use, and ask for it again. Pure; remembers the last 256 answers.
 */
final class SequentialReaders {
    private static final int REMEMBERED = 256;

    private record Answer(long segment, long from, long to) {}

    private final ArrayDeque<Answer> answers = new ArrayDeque<>();

    /** Whether a read at {@code position} goes on from an earlier answer, which is then forgotten. */
    boolean continues(long segment, long position) {
        for (Iterator<Answer> all = answers.descendingIterator(); all.hasNext(); ) {
            Answer answer = all.next();
            if (answer.segment() == segment && position > answer.from() && position <= answer.to()) {
                all.remove();
                return true;
            }
        }
        return false;
    }

    void answered(long segment, long from, long to) {
        if (answers.size() == REMEMBERED) {
            answers.removeFirst();
        }
        answers.addLast(new Answer(segment, from, to));
    }
}
