/**
 * The one authority over transactions, which both gateways call: which transactional ids there are, who may use them, which
 * partitions take part in a transaction and how it ended. Its state is in {@code __transaction_state}, an internal topic of
 * coordinator logs; the rules and the records are those of Kafka's transaction coordinator. May use broker and Kafka's
 * {@code kafka-transaction-coordinator}; no type of Kafka's is part of what gateways call.
 */
@NullMarked
package io.sluice.transactions;

import org.jspecify.annotations.NullMarked;
