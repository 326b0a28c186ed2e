package io.sluice.broker.scaling;

/** What is to happen to a topic's ranges. */
public sealed interface ScaleStep {
    /** What it is about, whole. */
    Span span();

    /** In words, for people. */
    String reason();

    /** @param at where the upper one of the two begins */
    record Split(Span span, int at, String reason) implements ScaleStep {}

    /** The two become one. */
    record Merge(Span lower, Span upper, String reason) implements ScaleStep {
        @Override
        public Span span() {
            return lower.with(upper);
        }
    }
}
