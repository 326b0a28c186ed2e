/**
 * Who may do what with a topic, a namespace or the cluster, for both protocols. The gateways say who asks, at every look-up;
 * the answer comes from the {@link io.sluice.broker.access.Authorizer}.
 */
@NullMarked
package io.sluice.broker.access;

import org.jspecify.annotations.NullMarked;
