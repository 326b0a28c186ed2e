package io.sluice.pulsar.dispatch;

/** Says whether messages wait for their time to be delivered. Any thread. */
public interface DelayRule {
    /** @param topic a topic's name, or a partition's */
    boolean isActive(String topic);
}
