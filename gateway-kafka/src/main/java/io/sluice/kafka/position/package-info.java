/** Positions of groups in a topic, for Pulsar's admin interface, from whichever nodes coordinate them. */
@NullMarked
package io.sluice.kafka.position;

import org.jspecify.annotations.NullMarked;
