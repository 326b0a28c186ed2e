/**
 * Keeps the load of containers even by moving partitions. {@link io.sluice.broker.balance.MeasureLoad} measures,
 * {@link io.sluice.broker.balance.BalancePolicy} decides (pure), {@link io.sluice.broker.balance.KeepLoadEven} moves. May use
 * {@code topic}, {@code log} and the store's door.
 */
@NullMarked
package io.sluice.broker.balance;

import org.jspecify.annotations.NullMarked;
