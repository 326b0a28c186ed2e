/**
 * Durable cursors of Pulsar subscriptions, kept as notes of the partition's segment. Pure state, loop only.
 */
@NullMarked
package io.sluice.broker.subscription;

import org.jspecify.annotations.NullMarked;
