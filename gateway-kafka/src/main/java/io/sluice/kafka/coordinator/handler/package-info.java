/**
 * The APIs of groups, one class per API key. They check what the gateway knows (topics, nodes) and hand the rest to
 * Kafka's coordinator, whose answers they pass on.
 */
@NullMarked
package io.sluice.kafka.coordinator.handler;

import org.jspecify.annotations.NullMarked;
