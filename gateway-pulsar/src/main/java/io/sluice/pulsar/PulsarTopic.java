package io.sluice.pulsar;

import io.sluice.broker.topic.TopicName;

/**
 * A topic as a Pulsar client names it. Short names stand for {@code persistent://public/default/name}.
 *
 * @param name without the partition's suffix
 * @param partition the number in {@code -partition-N}, -1 if there is none
 */
public record PulsarTopic(TopicName name, int partition) {
    private static final String PERSISTENT = "persistent://";
    private static final String NON_PERSISTENT = "non-persistent://";
    private static final String PARTITION = "-partition-";

    /** Thrown for a name no topic can have; the message is for the user. */
    public static final class InvalidName extends Exception {
        private final boolean unsupported;

        InvalidName(String message, boolean unsupported) {
            super(message, null, false, false);
            this.unsupported = unsupported;
        }

        /** A valid name of a kind of topic this server does not have. */
        public boolean unsupported() {
            return unsupported;
        }
    }

    public static PulsarTopic parse(String text) throws InvalidName {
        if (text.startsWith(NON_PERSISTENT)) {
            throw new InvalidName("non-persistent topics are not supported: " + text, true);
        }
        boolean full = text.startsWith(PERSISTENT);
        if (!full && text.contains("://")) {
            throw new InvalidName("unknown topic domain: " + text, true);
        }
        String path = full ? text.substring(PERSISTENT.length()) : text;
        String[] parts = path.split("/", -1);
        if (parts.length == 1 && !full) {
            return of(TopicName.DEFAULT_TENANT, TopicName.DEFAULT_NAMESPACE, parts[0], text);
        }
        if (parts.length != 3) {
            throw new InvalidName("topic must be persistent://tenant/namespace/topic: " + text, false);
        }
        return of(parts[0], parts[1], parts[2], text);
    }

    /** As {@link #parse}, from the parts of a REST path. */
    public static PulsarTopic of(String tenant, String namespace, String local) throws InvalidName {
        return of(tenant, namespace, local, local);
    }

    private static PulsarTopic of(String tenant, String namespace, String local, String text) throws InvalidName {
        if (tenant.isEmpty() || namespace.isEmpty() || local.isEmpty()) {
            throw new InvalidName("topic name has an empty part: " + text, false);
        }
        int at = local.lastIndexOf(PARTITION);
        int partition = at > 0 ? number(local, at + PARTITION.length()) : -1;
        String base = partition < 0 ? local : local.substring(0, at);
        return new PulsarTopic(new TopicName(tenant, namespace, base), partition);
    }

    /** The digits from {@code from} to the end, -1 if they are not a partition number. */
    private static int number(String s, int from) {
        if (from >= s.length() || s.length() - from > 5) {
            return -1;
        }
        int n = 0;
        for (int i = from; i < s.length(); i++) {
            char c = s.charAt(i);
            if (c < '0' || c > '9') {
                return -1;
            }
            n = n * 10 + (c - '0');
        }
        return s.charAt(from) == '0' && s.length() - from > 1 ? -1 : n;
    }

    /** The name with its suffix as part of it: a non-partitioned topic may be called {@code x-partition-3}. */
    public TopicName literal() {
        return partition < 0
                ? name
                : new TopicName(name.tenant(), name.namespace(), name.local() + PARTITION + partition);
    }

    public static String partitionOf(TopicName topic, int partition) {
        return topic + PARTITION + partition;
    }

    @Override
    public String toString() {
        return literal().toString();
    }
}
