/**
 * State machines that keep their state in a log of their own: an internal partition to which records of a key and a value
 * are appended, which is replayed when a state machine takes over, and which is rewritten behind itself. Knows no protocol's
 * records: {@link io.sluice.broker.coordination.RecordFormat} reads and writes them. May use {@code entry}, {@code log} and
 * {@code topic}.
 */
@NullMarked
package io.sluice.broker.coordination;

import org.jspecify.annotations.NullMarked;
