/**
 * The APIs of transactions that the {@link io.sluice.transactions.TransactionAuthority} answers; those that also concern a group are in
 * {@code coordinator.handler}, those of one partition in {@code handler}. May use: {@code api}, {@code format}, broker,
 * {@code io.sluice.transactions}.
 */
@NullMarked
package io.sluice.kafka.transaction;

import org.jspecify.annotations.NullMarked;
