package io.sluice.broker.quota;

/**
 * Quota that holds for a client, and which clients share it.
 *
 * @param user whose clients share it; empty if clients of all users do
 * @param clientId of the clients that share it; empty if those with any do, or have none
 * @param perSecond units of the key at one node, at least 1
 */
public record QuotaShare(QuotaKey key, String user, String clientId, long perSecond) {}
