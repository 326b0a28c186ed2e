/** Version of this build. Uses nothing of ours. */
@NullMarked
package io.sluice.server.version;

import org.jspecify.annotations.NullMarked;
