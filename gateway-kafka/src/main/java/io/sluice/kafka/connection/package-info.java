/**
 * One client's connection: frames in, requests started in order and answered in order, back-pressure, limits, closing.
 * <p>Knows handlers only by their interface, and nothing of the store.
 */
@NullMarked
package io.sluice.kafka.connection;

import org.jspecify.annotations.NullMarked;
