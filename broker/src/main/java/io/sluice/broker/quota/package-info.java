/**
 * Client quotas: how many bytes a second the clients of a user, or with a client id, may write and read at a node, and how much of its time they may have,
 * for both protocols. They
 * are set in the metadata, which every node watches; {@link io.sluice.broker.quota.ClientRates} keeps clients to them.
 */
@NullMarked
package io.sluice.broker.quota;

import org.jspecify.annotations.NullMarked;
