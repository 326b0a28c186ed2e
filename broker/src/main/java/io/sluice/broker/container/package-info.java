/** Operations in containers, whichever node serves them: on the container's loop here, or by asking its owner. */
@NullMarked
package io.sluice.broker.container;

import org.jspecify.annotations.NullMarked;
