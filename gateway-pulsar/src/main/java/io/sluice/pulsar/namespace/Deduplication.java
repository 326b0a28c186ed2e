package io.sluice.pulsar.namespace;

import io.sluice.broker.entry.EntryHeader;
import io.sluice.broker.log.PartitionLog;
import io.sluice.broker.topic.Topic;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Whether what named producers send twice is dropped: the topic's own setting decides, else its namespace's, else the server's.
 *
 * <p>While it is off, the log does not follow a producer's sequence ids. Were they compared with those of before when it is on
 * again, a producer that began anew meanwhile would lose what it sends. So each time it is switched on a period begins, in
 * which producers are remembered under other names. Any thread.
 */
public final class Deduplication {
    private static final String SETTING = "pulsar.deduplication";
    private static final String PERIOD_SETTING = "pulsar.deduplication.period";

    private final boolean ofServer;
    private final NamespacePolicies policies;

    public Deduplication(boolean ofServer, NamespacePolicies policies) {
        this.ofServer = ofServer;
        this.policies = policies;
    }

    /** Null where the topic has no setting of its own. */
    public static @Nullable Boolean ofTopic(Topic topic) {
        String value = topic.settings().get(SETTING);
        return value == null ? null : Boolean.valueOf(value);
    }

    public boolean isOn(Topic topic) {
        Boolean own = ofTopic(topic);
        return own == null ? isOn(policyOf(topic)) : own;
    }

    private boolean isOn(NamespacePolicy policy) {
        return policy.deduplication() == null ? ofServer : policy.deduplication();
    }

    private NamespacePolicy policyOf(Topic topic) {
        return policies.of(topic.name().tenant(), topic.name().namespace());
    }

    /** The policy with another setting; null for none. */
    public NamespacePolicy set(NamespacePolicy policy, @Nullable Boolean on) {
        int period = policy.deduplicationPeriod();
        boolean begins = !isOn(policy) && isOn(policy.withDeduplication(on, period));
        return policy.withDeduplication(on, begins ? period + 1 : period);
    }

    /** The topic's settings with another one for this; null for none. */
    public Map<String, String> set(Topic topic, @Nullable Boolean on) {
        Map<String, String> settings = new HashMap<>(topic.settings());
        settings.remove(SETTING);
        if (on != null) {
            settings.put(SETTING, on.toString());
        }
        boolean will = on == null ? isOn(policyOf(topic)) : on;
        if (will && !isOn(topic)) {
            settings.put(PERIOD_SETTING, Integer.toString(ownPeriod(topic) + 1));
        }
        return settings;
    }

    private static int ownPeriod(Topic topic) {
        return Integer.parseInt(topic.settings().getOrDefault(PERIOD_SETTING, "0"));
    }

    /** Under which id the topic's log knows the producer; {@link EntryHeader#NO_PRODUCER} if its sends are all taken. */
    public long producerId(PartitionLog log, Topic topic, String producer) {
        return ruleOf(topic).producerId(log, producer);
    }

    /** Rule for the producers of a topic now. */
    public Rule ruleOf(Topic topic) {
        return new Rule(isOn(topic), ownPeriod(topic) + policyOf(topic).deduplicationPeriod());
    }

    /**
     * Rule for the producers of a topic.
     *
     * @param period number of times that it was switched on
     */
    public record Rule(boolean on, int period) {
        /** As {@link Deduplication#producerId}. */
        public long producerId(PartitionLog log, String producer) {
            return on
                    ? log.producers().idOf(period == 0 ? producer : producer + '\n' + period)
                    : EntryHeader.NO_PRODUCER;
        }
    }
}
