package io.sluice.broker.balance;

/** A mistake that a {@link BalanceSim} must find. */
enum BalanceSimBug {
    NONE,
    /** What has just moved may move again. */
    NO_COOLDOWN,
    /** Nobody asks whether the taker becomes what the giver was. */
    TARGET_NOT_CHECKED
}
