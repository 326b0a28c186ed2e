/**
 * From the name a client uses to a topic, to its partition's log, and to where clients connect for it.
 */
@NullMarked
package io.sluice.pulsar.topic;

import org.jspecify.annotations.NullMarked;
