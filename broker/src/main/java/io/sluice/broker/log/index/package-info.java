/** From offsets, positions and times to entries, in bounded memory. Pure. */
@NullMarked
package io.sluice.broker.log.index;

import org.jspecify.annotations.NullMarked;
