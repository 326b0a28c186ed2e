package io.sluice.broker.topic;

import org.jspecify.annotations.Nullable;

/**
 * Says of which topics nothing more is written here, since their clients have gone on to another cluster (ADR 0114). Asked on the loop of a
 * partition in the turn that would append. Until it knows the rule, which the other protocol brings when it starts, it knows of no topic.
 */
public final class WriteGate {
    /** Decides about one topic at a time. Any thread. */
    public interface Rule {
        /** Null if the topic takes messages. */
        @Nullable
        String whyNot(TopicName topic);
    }

    private volatile @Nullable Rule rule;

    /** One through which all pass. */
    public static WriteGate open() {
        WriteGate gate = new WriteGate();
        gate.decideBy(topic -> null);
        return gate;
    }

    /** From now on. Any thread. */
    public void decideBy(Rule known) {
        rule = known;
    }

    /** Whether it knows the rule; until then writers come again. Any thread. */
    public boolean isDecided() {
        return rule != null;
    }

    /** Null if the topic takes messages, as far as is known; else why it takes none. Any thread. */
    public @Nullable String whyNot(TopicName topic) {
        Rule known = rule;
        return known == null ? null : known.whyNot(topic);
    }
}
