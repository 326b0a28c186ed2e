/** The port to ask another node of the cluster something, and to answer what others ask; its transport is in {@code net}. */
@NullMarked
package io.sluice.broker.peer;

import org.jspecify.annotations.NullMarked;
