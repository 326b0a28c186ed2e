package io.sluice.kafka.fetch;

import java.util.List;

/**
 * Divides the bytes of one answer among its partitions in the order in which the client asks for them (KIP-74), although containers read
 * theirs side by side. Guarded by the fetch's lock.
 *
 * <pre>
 *  round over several containers     room of a partition: what is left when all before it take their most
 *      beyond its room               a partition that can be read to its end is read all the same, ahead of its turn
 *      further behind than that      it lacks bytes: another round, with room for what those before it have left in truth
 *  answer                            in order, as far as the bytes reach; what was read ahead and does not fit is let go
 * </pre>
 *
 * <p>So at the tail, where every partition can be read to its end, one round is enough. A round in one container needs none of this: its
 * loop goes through the partitions in order.
 */
final class AnswerBudget {
    /** Part of the answer's bytes that may be read ahead, and so in vain. */
    private static final int AHEAD = 4;

    private final List<FetchPartition> inOrder;
    private final long bytes;
    private long found;
    /** Bytes for reads under way. */
    private long reserved;
    /** Bytes that may still be read ahead. */
    private long ahead;

    private boolean oneLoop;
    private boolean lacking;

    /** @param bytes of the whole answer; the last batch may go beyond it */
    AnswerBudget(List<FetchPartition> inOrder, long bytes) {
        this.inOrder = inOrder;
        this.bytes = bytes;
        this.ahead = bytes / AHEAD;
    }

    long found() {
        return found;
    }

    /** Whether a partition has more to give than it has room for yet: {@link #divideRest} says whether there is any. */
    boolean isLacking() {
        return lacking;
    }

    /**
     * A round begins over partitions of which nothing has been found.
     *
     * @param inOneContainer its loop reads them, in order; the others have nothing
     */
    void beginRound(boolean inOneContainer) {
        oneLoop = inOneContainer;
        lacking = false;
        if (oneLoop) {
            return;
        }
        long left = bytes;
        for (FetchPartition partition : inOrder) {
            int room = partition.hasAnswer() ? 0 : (int) Math.min(partition.maxBytes(), left);
            partition.setRoom(room);
            left -= room;
        }
    }

    /**
     * Bytes that the partition, which has data, may read now and has for itself until {@link #readEnded}: all that the client wants of it,
     * or 0 if there is no room for that: then {@link #grantPart} decides.
     */
    int grant(FetchPartition partition) {
        partition.setLacking(0);
        int wanted = wanted(partition);
        return roomFor(partition) < wanted ? 0 : reserve(wanted);
    }

    /**
     * As {@link #grant}, for a partition for which that gave 0.
     *
     * @param available bytes up to the partition's end, at least 1
     */
    int grantPart(FetchPartition partition, long available) {
        int wanted = wanted(partition);
        long room = roomFor(partition);
        boolean toItsEnd = available <= wanted && (partition.bytesFound() == 0 || partition.isReadAhead());
        if (!oneLoop && room < available && toItsEnd && available <= ahead) {
            ahead -= available;
            partition.setReadAhead();
            return reserve(available);
        }
        if (room > 0) {
            return reserve(Math.min(room, wanted));
        }
        partition.setLacking((int) Math.min(wanted, available));
        lacking = true;
        return 0;
    }

    private static int wanted(FetchPartition partition) {
        return partition.maxBytes() - partition.bytesFound();
    }

    private long roomFor(FetchPartition partition) {
        return oneLoop ? bytes - found - reserved : partition.room() - partition.bytesFound();
    }

    private int reserve(long granted) {
        reserved += granted;
        return (int) granted;
    }

    /** Before what was found is counted. */
    void readEnded(int granted) {
        reserved -= granted;
    }

    void found(int more) {
        found += more;
    }

    /**
     * The round is over, no read is under way: divides what is left among partitions that lack bytes, in order.
     *
     * @return whether any got some: those that {@linkplain FetchPartition#mayReadOn may read on} are to do so
     */
    boolean divideRest() {
        if (!lacking) {
            return false;
        }
        oneLoop = false;
        lacking = false;
        long left = bytes;
        for (FetchPartition partition : inOrder) {
            left -= partition.bytesFound();
            if (partition.lacks() > 0) {
                int more = (int) Math.clamp(left, 0L, (long) partition.lacks());
                partition.setRoom(partition.bytesFound() + more);
                left -= more;
                lacking |= more > 0;
            }
        }
        return lacking;
    }

    /** Lets go of all that was found. */
    void forget() {
        inOrder.stream().filter(partition -> partition.bytesFound() > 0).forEach(FetchPartition::reset);
        found = 0;
        ahead = bytes / AHEAD;
    }

    /** Before the answer: lets go of what does not fit in order. The first partition that has data keeps it. */
    void trim() {
        if (found <= bytes) {
            return;
        }
        long left = bytes;
        boolean over = false;
        for (FetchPartition partition : inOrder) {
            int has = partition.bytesFound();
            if (has == 0) {
                continue;
            }
            over |= left < bytes && (left <= 0 || partition.isReadAhead() && has > left);
            if (over) {
                partition.letGo();
                found -= has;
            } else {
                left -= has;
            }
        }
    }
}
