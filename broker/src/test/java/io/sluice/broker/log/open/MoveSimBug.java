package io.sluice.broker.log.open;

/** A mistake that a {@link MoveSim} must find. */
enum MoveSimBug {
    NONE,
    /** The state is taken before the seal: what is appended meanwhile is not in it. */
    APPENDED_AFTER_THE_STATE_WAS_TAKEN,
    /** The new place is shown before the state is durable there. */
    SUCCESSOR_READ_EARLY,
    /** Subscriptions stay in the old place. */
    CURSOR_LEFT_BEHIND,
    /** The epoch is that of the new container's term. */
    EPOCH_OF_THE_NEW_CONTAINER,
    /** The new place is shown, and the old one forgets, when the arrival is acknowledged by a log that has not synced it. */
    ARRIVED_BEFORE_THE_SYNC,
    /** The ledger of message ids is that of the partition, whatever was lost. */
    ONE_LEDGER_FOR_EVER,
    /** Where ledgers begin stays in the old place. */
    LEDGERS_LEFT_BEHIND,
    /** What is known of the compacted view stays in the old place. */
    VIEW_LEFT_BEHIND,
    /** A move that failed on its way is undone, though the partition takes nothing any more where it was. */
    UNDONE_AFTER_THE_SEAL
}
