/** Administration that is Sluice's own, over HTTP under {@code /sluice/} and on the command line. */
@NullMarked
package io.sluice.server.admin;

import org.jspecify.annotations.NullMarked;
