/**
 * Keeps the load of containers even by moving partitions. {@link io.sluice.broker.balance.MeasureLoad} measures on each node,
 * {@link io.sluice.broker.balance.ClusterLoad} asks all of them, {@link io.sluice.broker.balance.BalancePolicy} decides (pure),
 * {@link io.sluice.broker.balance.KeepLoadEven} moves.
 */
@NullMarked
package io.sluice.broker.balance;

import org.jspecify.annotations.NullMarked;
