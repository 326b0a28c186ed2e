package io.sluice.pulsar.wire;

import java.util.BitSet;
import java.util.function.LongPredicate;
import org.apache.pulsar.common.api.proto.MessageIdData;
import org.jspecify.annotations.Nullable;

/**
 * Ack sets: one bit per message of a batch, set while the message is <em>not</em> acknowledged. Trailing zero words are left
 * out on the wire, so a bit past the end means acknowledged.
 */
public final class AckSets {
    /** Told of a run of acknowledged messages; both ends inclusive. */
    public interface Run {
        void acked(long from, long to);
    }

    private AckSets() {}

    public static long[] of(MessageIdData id) {
        long[] words = new long[id.getAckSetsCount()];
        for (int i = 0; i < words.length; i++) {
            words[i] = id.getAckSetAt(i);
        }
        return words;
    }

    /** Index of the first message not acknowledged, -1 if all are. */
    public static int firstUnacked(long[] words) {
        for (int i = 0; i < words.length; i++) {
            if (words[i] != 0) {
                return i * 64 + Long.numberOfTrailingZeros(words[i]);
            }
        }
        return -1;
    }

    /** Calls {@code run} for each run of acknowledged messages of the batch {@code [base, base + count)}. */
    public static void forEachAcked(long[] words, long base, int count, Run run) {
        BitSet unacked = BitSet.valueOf(words);
        int i = unacked.nextClearBit(0);
        while (i < count) {
            int next = unacked.nextSetBit(i);
            int end = next < 0 ? count : Math.min(next, count);
            run.acked(base + i, base + end - 1);
            i = next < 0 ? count : unacked.nextClearBit(next);
        }
    }

    /** The ack set of the batch {@code [base, base + count)}; null if nothing in it is acknowledged. */
    public static long @Nullable [] from(long base, int count, LongPredicate acked) {
        BitSet unacked = new BitSet(count);
        for (int i = 0; i < count; i++) {
            if (!acked.test(base + i)) {
                unacked.set(i);
            }
        }
        return unacked.cardinality() == count ? null : unacked.toLongArray();
    }

    /** Messages of a batch of {@code count} that the set leaves unacknowledged. */
    public static int unacked(long[] words, int count) {
        int n = 0;
        for (long word : words) {
            n += Long.bitCount(word);
        }
        return Math.min(n, count);
    }
}
