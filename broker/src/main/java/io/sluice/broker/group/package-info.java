/** Kafka's consumer groups, as the other protocol sees them: positions of one topic. */
@NullMarked
package io.sluice.broker.group;

import org.jspecify.annotations.NullMarked;
