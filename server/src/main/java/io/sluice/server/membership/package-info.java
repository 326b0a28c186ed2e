/** This node among the others of its cluster. */
@NullMarked
package io.sluice.server.membership;

import org.jspecify.annotations.NullMarked;
