/** {@code perf transactions}: transactional Kafka producers against Sluice and Kafka, one server after the other. Uses compare, machine and peer. */
@NullMarked
package io.sluice.perf.transactional;

import org.jspecify.annotations.NullMarked;
