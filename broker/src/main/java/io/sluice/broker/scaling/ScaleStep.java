package io.sluice.broker.scaling;

/** A change of a topic's ranges. */
public sealed interface ScaleStep {
    /** The whole span of the step. */
    IndexRange span();

    /** In words, for people. */
    String reason();

    /** @param at where the upper one of the two begins */
    record Split(IndexRange span, int at, String reason) implements ScaleStep {}

    /** The two become one. */
    record Merge(IndexRange lower, IndexRange upper, String reason) implements ScaleStep {
        @Override
        public IndexRange span() {
            return lower.with(upper);
        }
    }
}
