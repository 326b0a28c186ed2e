package io.sluice.broker.scaling;

import java.util.List;

/**
 * One range of a topic and what it has to do.
 *
 * @param parts what each hash of the span has to do, in order; empty if that is not known
 * @param merges that led to it at most, one after the other
 */
public record RangeLoad(IndexRange span, Flow flow, List<Flow> parts, int merges) {
    public RangeLoad {
        parts = List.copyOf(parts);
        if (!parts.isEmpty() && parts.size() != span.size()) {
            throw new IllegalArgumentException(parts.size() + " parts of " + span);
        }
    }

    /** Load of a range whose parts are not known. */
    public RangeLoad(IndexRange span, Flow flow) {
        this(span, flow, List.of(), 0);
    }

    /** Load of a range from its parts. */
    public static RangeLoad of(IndexRange span, List<Flow> parts) {
        return new RangeLoad(span, parts.stream().reduce(Flow.NONE, Flow::plus), parts, 0);
    }
}
