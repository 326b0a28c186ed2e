/**
 * Pulsar 5's stock client, loaded as Pravega's is: of this program it may use {@link io.sluice.perf.driver.Target} and SLF4J, and
 * only one class names it: {@link io.sluice.perf.driver.Targets}.
 */
@NullMarked
package io.sluice.perf.driver.pulsar5;

import org.jspecify.annotations.NullMarked;
