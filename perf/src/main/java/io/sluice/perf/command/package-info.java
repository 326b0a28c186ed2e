/** What several commands have in common: options, and where they print. */
@NullMarked
package io.sluice.perf.command;

import org.jspecify.annotations.NullMarked;
