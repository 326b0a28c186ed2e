/** Which nodes there are, which containers each should serve, and by what right it does. */
@NullMarked
package io.sluice.store.membership;

import org.jspecify.annotations.NullMarked;
