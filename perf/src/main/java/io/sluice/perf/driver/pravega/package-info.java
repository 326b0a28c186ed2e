/**
 * Pravega's stock client. It is loaded by a class loader that has the client's own libraries and not ours: of this program it
 * may use {@link io.sluice.perf.driver.Target} and SLF4J, and only one class names it: {@link io.sluice.perf.driver.Targets}.
 */
@NullMarked
package io.sluice.perf.driver.pravega;

import org.jspecify.annotations.NullMarked;
