package io.sluice.broker.topic;

import io.sluice.broker.topic.TopicException.Reason;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Limits of a topic. */
final class TopicLimits {
    private static final int MAX_PARTITIONS = 10_000;
    /** Characters of all settings of a topic together. */
    private static final int MAX_SETTINGS = 64 << 10;

    private TopicLimits() {}

    static void checkPartitions(int partitions, boolean partitioned) throws TopicException {
        int most = partitioned ? MAX_PARTITIONS : 1;
        if (partitions < 1 || partitions > most) {
            throw new TopicException(
                    Reason.INVALID_PARTITIONS, "a topic has 1 to " + most + " partitions, not " + partitions);
        }
    }

    static void checkSettings(Map<String, String> settings) throws TopicException {
        long size = 0;
        for (Map.Entry<String, String> e : settings.entrySet()) {
            size += e.getKey().length() + e.getValue().length();
        }
        String durability = settings.get(Topic.DURABILITY);
        if (durability != null && !Topic.isDurability(durability)) {
            throw new TopicException(
                    Reason.INVALID_SETTING,
                    Topic.DURABILITY + " is 1 to " + Topic.LEAST_DURABLE + ", not '" + durability + "'");
        }
        String wireFormat = settings.get(Topic.WIRE_FORMAT);
        if (wireFormat != null && !Topic.isWireFormat(wireFormat)) {
            throw new TopicException(
                    Reason.INVALID_SETTING,
                    Topic.WIRE_FORMAT + " is " + Topic.WIRE_FORMATS + ", not '" + wireFormat + "'");
        }
        for (String name : List.of(Topic.SCALING_BYTES, Topic.SCALING_EVENTS)) {
            String limit = settings.get(name);
            if (limit != null && !Topic.isScalingLimit(limit)) {
                throw new TopicException(Reason.INVALID_SETTING, name + " is a number from 0 on, not '" + limit + "'");
            }
        }
        if (size > MAX_SETTINGS) {
            throw new TopicException(
                    Reason.INVALID_SETTING, "settings have " + size + " characters, over " + MAX_SETTINGS);
        }
    }

    /** Keeps what cannot be changed when all settings are replaced: the elasticity, and the source of a shadow topic. */
    static Map<String, String> withFixed(Map<String, String> settings, Topic topic) throws TopicException {
        String source = topic.settings().get(Topic.SHADOW_SOURCE);
        String givenSource = settings.get(Topic.SHADOW_SOURCE);
        if (givenSource != null && !givenSource.equals(source)) {
            throw new TopicException(
                    Reason.INVALID_SETTING,
                    Topic.SHADOW_SOURCE + " is given when a topic is created and cannot be changed");
        }
        String given = settings.get(Topic.ELASTIC);
        if (given != null && Topic.isElastic(settings) != topic.isElastic()) {
            throw new TopicException(
                    Reason.INVALID_SETTING, Topic.ELASTIC + " is given when a topic is created and cannot be changed");
        }
        Map<String, String> kept = new HashMap<>(settings);
        if (topic.isElastic()) {
            kept.put(Topic.ELASTIC, "true");
        }
        if (source != null) {
            kept.put(Topic.SHADOW_SOURCE, source);
        }
        return kept;
    }
}
