/** Client quotas by Kafka's requests: shown and changed. Clients are kept to them in {@link io.sluice.kafka.connection}. */
@NullMarked
package io.sluice.kafka.quota;

import org.jspecify.annotations.NullMarked;
