/**
 * The Pulsar side of one partition for one term of its log: its producers and its subscriptions together. Loop only.
 */
@NullMarked
package io.sluice.pulsar.hub;

import org.jspecify.annotations.NullMarked;
