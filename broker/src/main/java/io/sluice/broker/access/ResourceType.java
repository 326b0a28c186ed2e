package io.sluice.broker.access;

/** Kind of a thing on which there are rights, by Kafka's names. */
public enum ResourceType {
    /** By the name that Kafka's clients use: see {@link io.sluice.broker.topic.KafkaNames}. */
    TOPIC,
    GROUP,
    TRANSACTIONAL_ID,
    /** The one named {@link ResourcePattern#CLUSTER}. */
    CLUSTER,
    DELEGATION_TOKEN,
    /** By Kafka's name of a principal: {@code User:alice}. */
    USER
}
