/**
 * One client connection: its producers and consumers, what it is owed, and how it is slowed down.
 */
@NullMarked
package io.sluice.pulsar.connection;

import org.jspecify.annotations.NullMarked;
