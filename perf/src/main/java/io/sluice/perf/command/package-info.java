/** Options that several commands have, and the console that they print to. */
@NullMarked
package io.sluice.perf.command;

import org.jspecify.annotations.NullMarked;
