/**
 * Transactions between nodes: asks coordinators and tells participants at other nodes, over the internal protocol, and answers what
 * others ask here. See docs/adr/0075. May use {@code transactions}, {@code broker.peer}, {@code broker.cluster}.
 */
@NullMarked
package io.sluice.transactions.peer;

import org.jspecify.annotations.NullMarked;
