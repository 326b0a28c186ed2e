/**
 * State of replicated subscriptions: what is acknowledged here counts in the other clusters of a topic, and the other way round. Snapshots say
 * which places of all clusters correspond; {@link SubscriptionSync} decides, pure, and {@link ReplicatedSubscriptions} does it for one partition,
 * on its loop.
 */
@NullMarked
package io.sluice.pulsar.replication.subscription;

import org.jspecify.annotations.NullMarked;
