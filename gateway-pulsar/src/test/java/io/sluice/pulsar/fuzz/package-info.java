/**
 * Fuzzing of Pulsar's binary protocol: sequences of commands of every type, damaged, and sent to a whole gateway in this process.
 * What is looked at, and how to repeat a failure: {@link io.sluice.testing.fuzz}.
 */
@NullMarked
package io.sluice.pulsar.fuzz;

import org.jspecify.annotations.NullMarked;
