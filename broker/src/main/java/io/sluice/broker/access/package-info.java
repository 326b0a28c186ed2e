/**
 * Authorization of operations on a topic, a namespace or the cluster, for both protocols. The gateways pass the principal at every look-up;
 * the answer comes from the {@link io.sluice.broker.access.Authorizer}.
 */
@NullMarked
package io.sluice.broker.access;

import org.jspecify.annotations.NullMarked;
