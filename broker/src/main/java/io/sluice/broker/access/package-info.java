/**
 * Authorization of operations on topics, groups, transactional ids and the cluster, for both protocols. Gateways pass the principal; the
 * answer comes from the {@link io.sluice.broker.access.Authorizer}: everything is allowed, or rules decide, which are in the metadata.
 */
@NullMarked
package io.sluice.broker.access;

import org.jspecify.annotations.NullMarked;
