/** What is Sluice's own to administer, over HTTP under {@code /sluice/} and on the command line. */
@NullMarked
package io.sluice.server.admin;

import org.jspecify.annotations.NullMarked;
