/**
 * Consumer groups on Kafka's own group coordinator, with its log (the offsets topic) in our store.
 * <p>Kafka's threads decide; every append hops to the loop of the container that holds the offsets partition and waits
 * there only until it is sequenced. May use: broker, {@code store.segment}, Kafka's coordinator and metadata modules.
 */
@NullMarked
package io.sluice.kafka.coordinator;

import org.jspecify.annotations.NullMarked;
