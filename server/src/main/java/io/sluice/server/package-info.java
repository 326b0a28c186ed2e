/** The process: its main class, which knows the programs of the command line. */
@NullMarked
package io.sluice.server;

import org.jspecify.annotations.NullMarked;
