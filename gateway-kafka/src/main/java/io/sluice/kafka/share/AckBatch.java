package io.sluice.kafka.share;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Acknowledgements of a range of offsets, both ends inclusive.
 *
 * @param types one for all, or one for each offset
 */
record AckBatch(long first, long last, List<Byte> types) {
    AckType type(long offset) {
        AckType type = AckType.of(types.size() == 1 ? types.getFirst() : types.get((int) (offset - first)));
        if (type == null) {
            throw new IllegalStateException("acknowledgement of an unknown type, which was not checked");
        }
        return type;
    }

    /** End of the run of offsets that begins here and has one type; at most {@code end}. */
    long sameUpTo(long offset, long end) {
        if (types.size() == 1) {
            return end;
        }
        AckType type = type(offset);
        long last = offset;
        while (last < end && type(last + 1) == type) {
            last++;
        }
        return last;
    }

    /**
     * Why a partition's acknowledgements are not well formed; null if they are.
     *
     * @param mayRenew whether {@link AckType#RENEW} is a type of this request
     */
    static @Nullable String whyNot(List<AckBatch> batches, boolean mayRenew) {
        long before = -1;
        for (AckBatch each : batches) {
            if (each.first < 0 || each.first > each.last) {
                return "first offset " + each.first + " is greater than last offset " + each.last;
            }
            if (each.first <= before) {
                return "acknowledgements overlap, or are not in order, at offset " + each.first;
            }
            if (each.types.size() != 1 && each.types.size() != each.last - each.first + 1) {
                return "there are " + each.types.size() + " types for " + (each.last - each.first + 1) + " offsets";
            }
            for (byte code : each.types) {
                AckType type = AckType.of(code);
                if (type == null || type == AckType.RENEW && !mayRenew) {
                    return "acknowledgement of type " + code;
                }
            }
            before = each.last;
        }
        return null;
    }

    /** In parts that have one type each, from {@code from} on. */
    List<Part> parts(long from) {
        List<Part> parts = new ArrayList<>(1);
        for (long at = Math.max(first, from); at <= last; ) {
            long end = sameUpTo(at, last);
            parts.add(new Part(at, end, type(at)));
            at = end + 1;
        }
        return parts;
    }

    /** Range of offsets of one type. */
    record Part(long first, long last, AckType type) {}
}
