/** Halts a server process at a named step: an agent that the test puts into an unchanged server. */
@NullMarked
package io.sluice.conformance.steps;

import org.jspecify.annotations.NullMarked;
