/**
 * Fuzzing of the Kafka protocol: requests of every API and version the gateway announces, made from Kafka's own schemas, damaged,
 * and sent to a whole gateway in this process. What is looked at, and how to repeat a failure: {@link io.sluice.testing.fuzz}.
 */
@NullMarked
package io.sluice.kafka.fuzz;

import org.jspecify.annotations.NullMarked;
