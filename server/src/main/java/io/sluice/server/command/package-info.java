/** The programs of the command line, with the options that several of them have. They put nothing together themselves: {@code wiring} does. */
@NullMarked
package io.sluice.server.command;

import org.jspecify.annotations.NullMarked;
