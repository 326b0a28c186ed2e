/** Sluice in a container, for other people's tests. Uses Testcontainers only. */
@NullMarked
package io.sluice.testcontainers;

import org.jspecify.annotations.NullMarked;
