/** Whether the server can do its work: asks what it stands on, and does not take its own word for it. */
@NullMarked
package io.sluice.server.health;

import org.jspecify.annotations.NullMarked;
