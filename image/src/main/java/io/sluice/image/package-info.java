/** Builds the container image: a Java runtime, the server's libraries, an AOT cache, layers. No registry, no daemon. */
@NullMarked
package io.sluice.image;

import org.jspecify.annotations.NullMarked;
