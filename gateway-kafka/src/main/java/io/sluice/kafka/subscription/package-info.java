/**
 * Subscriptions of Pulsar's clients as groups, for Kafka's admin clients: each is a group of one topic, whose name says both (ADR 0095).
 * A producer's transaction may move one's position (ADR 0102).
 * <p>Answers in Kafka's messages, from any node; its own state is none. May use: broker, {@code kafka.api}, {@code kafka.format}, transactions.
 */
@NullMarked
package io.sluice.kafka.subscription;

import org.jspecify.annotations.NullMarked;
